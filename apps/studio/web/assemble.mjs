// Puts the engine and the gallery into the page: node assemble.mjs ENGINE.wasm MODELS REFERENCE.md PAGE.html
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [wasm, folder, reference, output] = process.argv.slice(2);
const engine = gzipSync(readFileSync(wasm), { level: 9 });
const models = readdirSync(folder)
  .filter((name) => name.endsWith(".gal"))
  .sort()
  .map((name) => {
    const text = readFileSync(`${folder}/${name}`, "utf8");
    const title = /^\s*system\s+"([^"]*)"/m.exec(text)?.[1] ?? name.replace(/\.gal$/, "");
    return { name: name.replace(/\.gal$/, ""), title, text };
  })
  // A page alone has no files beside it.
  .filter(({ text }) => !/^\s*table\s.*\bfrom\s+"/m.test(text))
  .sort((a, b) => a.title.localeCompare(b.title, "en"));
// One example for each statement, from the reference of the language.
const examples = [];
for (const part of readFileSync(reference, "utf8").split(/^### /m).slice(1)) {
  const statement = /^`([^`]+)`/.exec(part)?.[1];
  const text = /^```gal\n([\s\S]*?)^```/m.exec(part)?.[1];
  if (statement && text) examples.push({ name: `statement ${statement}`, title: statement, text: `# An example of the statement ${statement}.\n${text}` });
}
if (examples.length < 35) throw new Error(`the reference has ${examples.length} examples of statements`);
const json = JSON.stringify({ models, examples }).replaceAll("<", "\\u003c");
const page = readFileSync(new URL("../page.html", import.meta.url), "utf8");
const insert = (text, mark, content) => {
  if (!text.includes(mark)) throw new Error(`the page has no ${mark}`);
  return text.replace(mark, () => content);
};
const script = '<script type="text/plain" id="engine">';
let whole = insert(page, `${script}</script>`, `${script}${engine.toString("base64")}</script>`);
whole = insert(whole, '{"models":[],"examples":[]}', json);
writeFileSync(output, whole);
console.log(JSON.stringify({ engine: engine.length, models: models.length, examples: examples.length, page: whole.length }));
