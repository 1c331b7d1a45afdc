// Puts script and style into the page. The engine and the gallery are added by `cargo xtask studio`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const style = readdirSync("build").find((name) => name.endsWith(".css"));
const css = readFileSync(`build/${style}`, "utf8").trim();
const js = readFileSync("build/studio.js", "utf8").trim();
if (/<\/script|<!--/i.test(js) || /<\/style/i.test(css)) {
  // A string in the script that would end it early is written with an escape.
  if (/<\/style/i.test(css)) throw new Error("the style sheet contains the end of a style element");
}
const safe = js.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
const page = readFileSync("index.html", "utf8")
  .replace("/*STYLE*/", () => css)
  .replace("/*SCRIPT*/", () => safe);
writeFileSync("../page.html", page);
console.log(`page.html: ${page.length} characters`);
