// The extension: starts the language server in trusted workspaces, and shows its drawings and traces.
// @ts-check
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { page } = require('./page');

const LANGUAGES = ['xta', 'uppaal-queries', 'xml'];
/** The pause after an edit or a movement of the cursor before the drawing follows, in milliseconds. */
const PAUSE = 150;

/** @type {LanguageClient | undefined} */
let client;
/** @type {vscode.WebviewPanel | undefined} */
let preview;
/** @type {NodeJS.Timeout | undefined} */
let timer;

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const command = (/** @type {string} */ name, /** @type {() => unknown} */ run) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command('zonaut.preview', () => openPreview(context));
  command('zonaut.checkAll', checkAll);
  command('zonaut.restart', restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeTextDocument(followLater),
    vscode.window.onDidChangeTextEditorSelection(followLater),
    vscode.window.onDidChangeActiveTextEditor(followLater),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('zonaut')) {
        void restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void start()),
  );
  await start();
}

async function deactivate() {
  await stop();
}

/** Starts the server. An untrusted workspace runs nothing. */
async function start() {
  if (client || !vscode.workspace.isTrusted) {
    return;
  }
  const settings = vscode.workspace.getConfiguration('zonaut');
  const path = settings.get('path', 'zonaut');
  const server = { command: path, args: ['lsp'] };
  const limits = { timeLimit: settings.get('timeLimit'), memoryLimit: settings.get('memoryLimit') };
  const started = new LanguageClient('zonaut', 'Zonaut', server, {
    documentSelector: LANGUAGES.flatMap((language) => [
      { scheme: 'file', language },
      { scheme: 'untitled', language },
    ]),
    initializationOptions: limits,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{xta,ta,q,xml}') },
    middleware: { executeCommand: executed },
  });
  client = started;
  try {
    await started.start();
  } catch (error) {
    client = undefined;
    const message = `Zonaut: \`${path} lsp\` cannot be started (${error}). Install zonaut, or set its path.`;
    const choice = await vscode.window.showErrorMessage(message, 'Open Settings');
    if (choice) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'zonaut.path');
    }
  }
}

async function stop() {
  const stopped = client;
  client = undefined;
  if (stopped && stopped.isRunning()) {
    await stopped.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

/**
 * Shows the results of commands that lenses execute.
 * @param {string} command
 * @param {any[]} parameters
 * @param {(command: string, parameters: any[]) => any} next
 */
async function executed(command, parameters, next) {
  const result = await next(command, parameters);
  if (command === 'zonaut.showTrace' && result) {
    const panel = vscode.window.createWebviewPanel('zonautTrace', 'Trace', vscode.ViewColumn.Beside, {
      enableScripts: false,
      localResourceRoots: [],
    });
    panel.webview.html = page({ title: result.query, svg: result.svg, text: result.text });
  }
  return result;
}

/** The running server; without one, the user sees why. */
function served() {
  if (!client) {
    const why = vscode.workspace.isTrusted
      ? 'the language server does not run; "Zonaut: Restart Language Server" starts it.'
      : 'trust this workspace to start the language server.';
    void vscode.window.showWarningMessage(`Zonaut: ${why}`);
  }
  return client;
}

/** Checks the queries of the active document, one after the other. */
async function checkAll() {
  const client = served();
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const lenses = await client.sendRequest('textDocument/codeLens', { textDocument: { uri } });
  const queries = new Set();
  for (const lens of Array.isArray(lenses) ? lenses : []) {
    queries.add(lens.command.arguments[0].query);
  }
  for (const query of queries) {
    try {
      await execute('zonaut.check', { uri, query });
    } catch (error) {
      void vscode.window.showErrorMessage(`Zonaut: ${error instanceof Error ? error.message : error}`);
      return;
    }
  }
}

/**
 * @param {string} command
 * @param {object} argument
 * @returns {Promise<any>}
 */
async function execute(command, argument) {
  return client?.sendRequest('workspace/executeCommand', { command, arguments: [argument] });
}

/** @param {vscode.ExtensionContext} context */
async function openPreview(context) {
  if (!served()) {
    return;
  }
  if (!preview) {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    preview = vscode.window.createWebviewPanel('zonautPreview', 'Automaton', column, {
      enableScripts: false,
      localResourceRoots: [],
    });
    preview.onDidDispose(() => (preview = undefined), undefined, context.subscriptions);
  }
  await follow();
}

function followLater() {
  if (preview) {
    clearTimeout(timer);
    timer = setTimeout(() => void follow(), PAUSE);
  }
}

/** Draws the automaton at the cursor. */
async function follow() {
  const editor = vscode.window.activeTextEditor;
  if (!preview || !client || !editor || !LANGUAGES.includes(editor.document.languageId)) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  try {
    const drawing = await execute('zonaut.draw', { uri, position });
    if (preview && drawing) {
      preview.title = drawing.name;
      preview.webview.html = page({ title: drawing.name, svg: drawing.svg, text: '' });
    }
  } catch {
    // The document is damaged or closed: the last drawing stays.
  }
}

module.exports = { activate, deactivate };
