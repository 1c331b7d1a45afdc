// The extension starts `galilei lsp` and shows the answers of its commands.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;
let output;

function command() {
  return vscode.workspace.getConfiguration("galilei").get("command") || "galilei";
}

async function start() {
  const run = { command: command(), args: ["lsp"], transport: TransportKind.stdio };
  const options = {
    documentSelector: [{ language: "galilei" }],
    middleware: {
      // The answer of `derive`, `simulate` and `check` is a text.
      executeCommand: async (name, args, next) => {
        const answer = await next(name, args);
        if (answer && typeof answer.text === "string") {
          output.clear();
          output.append(answer.text + (answer.errors ? `\n${answer.errors}` : ""));
          output.show(true);
        }
        return answer;
      },
    },
  };
  client = new LanguageClient("galilei", "Galilei", { run, debug: run }, options);
  try {
    await client.start();
  } catch (why) {
    vscode.window.showErrorMessage(`Galilei: ${command()} could not be started (${why.message}). Set galilei.command.`);
  }
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Galilei");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("galilei.restart", async () => {
      await client?.stop();
      await start();
    }),
    vscode.commands.registerCommand("galilei.studio", () => {
      const file = vscode.window.activeTextEditor?.document.fileName;
      const terminal = vscode.window.createTerminal({ name: "Galilei studio", shellPath: command(), shellArgs: file ? ["studio", file] : ["studio"] });
      terminal.show();
    }),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
