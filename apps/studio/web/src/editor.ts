// The editor: CodeMirror, with the language server of Galilei for everything that depends on the language.

import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { forceLinting, lintKeymap, lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  type DecorationSet,
} from "@codemirror/view";
import type { Answer } from "./engine";

/** A request of the language server about the text in the editor. */
export type Ask = (method: string, params: Answer) => Promise<Answer | null>;

interface Place {
  line: number;
  character: number;
}

/** The offset of a place; places beyond the text are its end. */
export function offset(doc: Text, place: Place): number {
  if (place.line >= doc.lines) return doc.length;
  const line = doc.line(place.line + 1);
  return Math.min(line.from + place.character, line.to);
}

function placeOf(doc: Text, at: number): Place {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

const setColours = StateEffect.define<DecorationSet>();

const colours = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, transaction) {
    let next = old.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setColours)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const TYPES = ["keyword", "parameter", "property", "variable", "function", "class", "type", "number", "string", "comment", "operator"];

/** Semantic tokens as decorations. */
export function paint(view: EditorView, text: string, data: number[]): void {
  if (view.state.doc.toString() !== text) return;
  const doc = view.state.doc;
  const marks = [];
  let line = 0;
  let column = 0;
  for (let k = 0; k + 4 < data.length; k += 5) {
    line += data[k];
    column = data[k] === 0 ? column + data[k + 1] : data[k + 1];
    const from = offset(doc, { line, character: column });
    const to = Math.min(from + data[k + 2], doc.length);
    if (to > from) marks.push(Decoration.mark({ class: `gal-${TYPES[data[k + 3]]}` }).range(from, to));
  }
  view.dispatch({ effects: setColours.of(Decoration.set(marks, true)) });
}

/** Markdown of a hover as elements: blocks of code, paragraphs, code spans. Nothing in it is markup. */
function rendered(markdown: string): HTMLElement {
  const root = document.createElement("div");
  root.className = "gal-hover";
  markdown.split("```").forEach((part, k) => {
    if (k % 2 === 1) {
      const pre = root.appendChild(document.createElement("pre"));
      pre.textContent = part.replace(/^gal\n/, "").trim();
      return;
    }
    for (const paragraph of part.split(/\n\n+/)) {
      if (!paragraph.trim()) continue;
      const p = root.appendChild(document.createElement("p"));
      paragraph.split("`").forEach((piece, i) => {
        const span = p.appendChild(document.createElement(i % 2 === 1 ? "code" : "span"));
        span.textContent = piece.replaceAll("**", "");
      });
    }
  });
  return root;
}

export interface EditorHooks {
  ask: Ask;
  changed(text: string): void;
  save(): void;
}

export function createEditor(parent: HTMLElement, hooks: EditorHooks): EditorView {
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
    if (!context.explicit && (!word || word.from === word.to)) return null;
    const doc = context.state.doc;
    const answer = await hooks.ask("textDocument/completion", { position: placeOf(doc, context.pos) });
    const list = (answer as any[] | null) ?? [];
    if (!list.length) return null;
    const from = offset(doc, list[0].textEdit.range.start);
    const kinds: Record<number, string> = { 3: "function", 5: "property", 6: "variable", 7: "class", 11: "type", 14: "keyword", 21: "constant" };
    return {
      from,
      options: list.map((item) => ({
        label: item.label,
        apply: item.textEdit.newText,
        detail: item.detail && item.detail !== item.label ? item.detail : undefined,
        type: kinds[item.kind],
      })),
      validFor: /^[\p{L}\p{N}_]*$/u,
    };
  };
  const hover = hoverTooltip(async (view, at) => {
    const answer = await hooks.ask("textDocument/hover", { position: placeOf(view.state.doc, at) });
    if (!answer) return null;
    const doc = view.state.doc;
    return {
      pos: answer.range ? offset(doc, answer.range.start) : at,
      end: answer.range ? offset(doc, answer.range.end) : at,
      create: () => ({ dom: rendered(answer.contents.value) }),
    };
  });
  const definition = (view: EditorView): boolean => {
    const at = view.state.selection.main.head;
    hooks.ask("textDocument/definition", { position: placeOf(view.state.doc, at) }).then((answer) => {
      if (!answer) return;
      const anchor = offset(view.state.doc, answer.range.start);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
    });
    return true;
  };
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        colours,
        hover,
        autocompletion({ override: [complete] }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Model text", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) hooks.changed(update.state.doc.toString());
        }),
        keymap.of([
          { key: "Mod-s", run: () => (hooks.save(), true), preventDefault: true },
          { key: "F12", run: definition },
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });
}

/** Shows problems under their words, with corrections as actions. */
export async function showProblems(view: EditorView, text: string, list: any[], ask: Ask): Promise<void> {
  const shown: Diagnostic[] = [];
  for (const problem of list.slice(0, 50)) {
    const doc = view.state.doc;
    if (doc.toString() !== text) return;
    const actions = ((await ask("textDocument/codeAction", { range: problem.range, context: { diagnostics: [] } })) ?? []) as any[];
    if (view.state.doc.toString() !== text) return;
    const from = offset(doc, problem.range.start);
    const to = Math.max(offset(doc, problem.range.end), Math.min(from + 1, doc.length));
    const same = actions.filter((a) => a.diagnostics[0].message === problem.message);
    shown.push({
      from,
      to,
      severity: problem.severity === 1 ? "error" : "warning",
      message: problem.message,
      source: problem.code,
      actions: same.map((action) => ({
        name: action.title,
        apply: (target) => {
          const edits = Object.values(action.edit.changes)[0] as any[];
          const changes = edits.map((e) => ({
            from: offset(target.state.doc, e.range.start),
            to: offset(target.state.doc, e.range.end),
            insert: e.newText,
          }));
          target.dispatch({ changes });
        },
      })),
    });
  }
  view.dispatch(setDiagnostics(view.state, shown));
  forceLinting(view);
}

/** Replaces the text of the editor. */
export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
