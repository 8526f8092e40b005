// The pages of drawings and traces, without scripts.
// @ts-check
'use strict';

/**
 * The text with characters of markup escaped.
 * @param {string} text
 */
function escaped(text) {
  const references = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => references[character]);
}

/**
 * A page with a drawing and a text. The drawing is an image, so that nothing inside it is part of the
 * page, and the policy forbids scripts, connections and all other resources.
 * @param {{ title: string, svg: string, text: string }} content
 */
function page({ title, svg, text }) {
  const policy = "default-src 'none'; img-src data:; style-src 'nonce-zonaut'";
  const image = `data:image/svg+xml;base64,${Buffer.from(svg, 'utf8').toString('base64')}`;
  const below = text === '' ? '' : `<pre>${escaped(text)}</pre>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
<style nonce="zonaut">img { max-width: 100%; } pre { overflow-x: auto; }</style>
</head>
<body>
<h3>${escaped(title)}</h3>
<img alt="${escaped(title)}" src="${image}">
${below}
</body>
</html>
`;
}

module.exports = { escaped, page };
