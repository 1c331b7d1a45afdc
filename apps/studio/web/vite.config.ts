import { defineConfig } from "vite";

// One script and one style sheet, which `inline.mjs` puts into one page.
export default defineConfig({
  build: {
    outDir: "build",
    target: "es2022",
    cssCodeSplit: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "GalileiStudio", fileName: () => "studio.js" },
  },
});
