// Tests of the extension with stand-ins for Visual Studio Code and for the language client.
// Run by `cargo xtask editor-test`: node extension.cjs.
'use strict';

const assert = require('node:assert/strict');
const Module = require('node:module');

const URI = 'file:///models/lamp.xta';
const nothing = () => ({ dispose() {} });

/** The state of the stand-in of the editor. */
const editor = { isTrusted: false, fails: false, clients: [], commands: {}, panels: [], messages: [] };
/** The functions that the extension registered for events. */
const events = {};
const event = (name) => (listener) => {
  events[name] = listener;
  return nothing();
};

const vscode = {
  ViewColumn: { Beside: -2 },
  commands: {
    registerCommand: (name, run) => {
      editor.commands[name] = run;
      return nothing();
    },
    executeCommand: async () => undefined,
  },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    getConfiguration: () => ({ get: (name, usual) => (name === 'path' ? 'my-zonaut' : usual) }),
    createFileSystemWatcher: nothing,
    onDidChangeTextDocument: event('changed'),
    onDidChangeConfiguration: event('configured'),
    onDidGrantWorkspaceTrust: event('trusted'),
  },
  window: {
    activeTextEditor: {
      document: { uri: URI, languageId: 'xta' },
      selection: { active: { line: 4, character: 6 } },
    },
    onDidChangeTextEditorSelection: event('selected'),
    onDidChangeActiveTextEditor: event('activated'),
    showErrorMessage: async (message) => void editor.messages.push(message),
    showWarningMessage: async (message) => void editor.messages.push(message),
    createWebviewPanel: (type, title, _column, options) => {
      const panel = { type, title, options, webview: { html: '' }, onDidDispose: nothing };
      editor.panels.push(panel);
      return panel;
    },
  },
};

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, requests: [], running: false });
    this.code2ProtocolConverter = { asUri: (uri) => uri, asPosition: (position) => position };
    editor.clients.push(this);
  }
  async start() {
    if (editor.fails) {
      throw new Error('ENOENT');
    }
    this.running = true;
  }
  async stop() {
    this.running = false;
  }
  isRunning() {
    return this.running;
  }
  async sendRequest(method, params) {
    this.requests.push([method, params.command, ...(params.arguments ?? [])]);
    if (method === 'textDocument/codeLens') {
      return [0, 0, 1].map((query) => ({ command: { arguments: [{ uri: URI, query }] } }));
    }
    return params.command === 'zonaut.draw' ? { name: 'Lamp', svg: '<svg/>' } : { verdict: 'satisfied' };
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  const standIns = { vscode, 'vscode-languageclient/node': { LanguageClient } };
  return standIns[name] ?? load(name, ...rest);
};
const { activate, deactivate } = require('../src/extension');

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function test() {
  await activate({ subscriptions: [] });
  for (const command of ['zonaut.preview', 'zonaut.checkAll', 'zonaut.restart']) {
    await editor.commands[command]();
  }
  assert.deepEqual([editor.clients, editor.panels], [[], []], 'an untrusted workspace starts nothing');
  assert.match(editor.messages.pop(), /trust this workspace/);

  editor.isTrusted = true;
  events.trusted();
  await settled();
  const [client] = editor.clients;
  assert.deepEqual(client.server, { command: 'my-zonaut', args: ['lsp'] });

  await editor.commands['zonaut.preview']();
  const [preview] = editor.panels;
  assert.deepEqual(preview.options, { enableScripts: false, localResourceRoots: [] });
  assert.equal(preview.title, 'Lamp');
  assert.match(preview.webview.html, /Content-Security-Policy/);
  client.requests.length = 0;
  events.selected();
  events.changed();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(client.requests.length, 1, 'the drawing follows once after a pause');

  client.requests.length = 0;
  await editor.commands['zonaut.checkAll']();
  const checked = client.requests.filter(([, command]) => command === 'zonaut.check');
  assert.deepEqual(checked.map(([, , argument]) => argument.query), [0, 1]);

  const next = async () => ({ query: 'E<> <b>', svg: '<svg/>', text: '<b>' });
  await client.options.middleware.executeCommand('zonaut.showTrace', [{}], next);
  assert.equal(editor.panels.length, 2);
  assert.match(editor.panels[1].webview.html, /&lt;b&gt;/);

  events.configured({ affectsConfiguration: () => true });
  await settled();
  assert.equal(editor.clients.length, 2, 'other settings start another server');
  assert.ok(!client.running);
  editor.fails = true;
  await editor.commands['zonaut.restart']();
  assert.match(editor.messages.pop(), /cannot be started.*ENOENT/);
  await editor.commands['zonaut.checkAll']();
  assert.match(editor.messages.pop(), /Restart Language Server/);
  await deactivate();
}

test().then(
  () => console.log('extension: trust, preview, checks, traces and restarts work'),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
