// Tests of the pages, and of the server with the protocol library of Visual Studio Code as the client.
// Run by `cargo xtask editor-test`: node client.cjs SERVER, with the packages in NODE_PATH.
'use strict';

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const path = require('node:path');
const protocol = require('vscode-languageserver-protocol/node');
const { escaped, page } = require('../src/page');

const MODEL_URI = 'file:///models/lamp.xta';
const QUERY_URI = 'file:///models/lamp.q';
const MODEL = `// ä𝄞
const int LIMIT = 5;
clock x;
process Lamp() {
    state off, on { x <= LIMIT };
    init off;
    trans off -> on { assign x = 0; }, on -> off { guard x == LIMIT; };
}
system Lamp;
`;
const QUERIES = 'E<> Lamp.on && x > 3\nA[] x <= 4\n';
const WHOLE = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };

function testPages() {
  const hostile = '"><script>alert(1)</script>';
  assert.equal(escaped(hostile), '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  const made = page({ title: hostile, svg: `<svg>${hostile}</svg>`, text: hostile });
  assert.ok(!made.includes('<script'), 'names are escaped');
  assert.ok(made.includes("default-src 'none'"), 'the page has a policy');
  assert.ok(!/unsafe-|https?:/.test(made), 'the policy has no exceptions');
}

/** The tokens with absolute positions and their texts. */
function decoded(tokens, text, legend) {
  const lines = text.split('\n');
  let line = 0;
  let start = 0;
  const all = [];
  for (let i = 0; i < tokens.data.length; i += 5) {
    const [lines_down, right, length, type, modifiers] = tokens.data.slice(i, i + 5);
    start = lines_down === 0 ? start + right : right;
    line += lines_down;
    const word = lines[line].slice(start, start + length);
    const names = legend.tokenModifiers.filter((_, bit) => modifiers & (1 << bit));
    all.push([word, legend.tokenTypes[type], ...names].join(' '));
  }
  return all;
}

async function testServer(server) {
  const child = spawn(server, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(child.stdout),
    new protocol.StreamMessageWriter(child.stdin),
  );
  const published = new Map();
  let refreshes = 0;
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (it) => {
    published.set(`${it.uri} ${it.version}`, it.diagnostics);
  });
  connection.onRequest(protocol.InlayHintRefreshRequest.type, () => {
    refreshes += 1;
    return null;
  });
  connection.listen();
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { inlayHint: { refreshSupport: true } } },
    initializationOptions: { timeLimit: 30, memoryLimit: 500 },
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const open = (uri, languageId, text) =>
    connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId, version: 1, text },
    });
  await open(MODEL_URI, 'xta', MODEL);
  await open(QUERY_URI, 'uppaal-queries', QUERIES);

  const textDocument = { uri: MODEL_URI };
  const tokens = await connection.sendRequest(protocol.SemanticTokensRequest.type, { textDocument });
  const words = decoded(tokens, MODEL, capabilities.semanticTokensProvider.legend);
  assert.deepEqual(words.slice(0, 6), [
    'LIMIT variable declaration readonly',
    'x variable declaration',
    'Lamp class declaration',
    'off enumMember declaration',
    'on enumMember declaration',
    'x variable',
  ]);
  assert.equal(words.at(-1), 'Lamp class');

  const inlays = async () => {
    const hints = await connection.sendRequest(protocol.InlayHintRequest.type, {
      textDocument: { uri: QUERY_URI },
      range: WHOLE,
    });
    return hints.map((hint) => hint.label);
  };
  assert.deepEqual(await inlays(), []);
  const execute = (command, argument) =>
    connection.sendRequest(protocol.ExecuteCommandRequest.type, { command, arguments: [argument] });
  const [first, second] = await Promise.all(
    [0, 1].map((query) => execute('zonaut.check', { uri: QUERY_URI, query })),
  );
  assert.deepEqual([first.verdict, second.verdict], ['satisfied', 'not_satisfied']);
  assert.deepEqual(await inlays(), ['✓ satisfied', '✗ not satisfied']);
  assert.ok(refreshes > 0, 'the client is asked to refresh');
  const trace = await execute('zonaut.showTrace', { uri: QUERY_URI, query: 1 });
  assert.ok(trace.text.includes('Lamp.off') && trace.svg.includes('<svg'));
  const position = { line: 4, character: 6 };
  const drawing = await execute('zonaut.draw', { uri: MODEL_URI, position });
  assert.equal(drawing.name, 'Lamp');

  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: MODEL_URI, version: 2 },
    contentChanges: [
      { range: { start: { line: 1, character: 18 }, end: { line: 1, character: 19 } }, text: '4' },
    ],
  });
  assert.deepEqual(await inlays(), ['✓ satisfied (stale)', '✗ not satisfied (stale)']);
  assert.deepEqual(published.get(`${QUERY_URI} 1`), []);

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await ended, 0);
}

testPages();
testServer(path.resolve(process.argv[2])).then(
  () => console.log('client: pages, semantic tokens, inlays, traces and drawings work'),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
