// Drives a page about a run and the explorer in a real browser, as a person would, and fails where
// one of them complains, asks for anything beyond this machine, or has violations.
// Arguments: the program, the browser, the folder of the models, a folder for files and pictures.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [zonaut, executablePath, models, folder] = process.argv.slice(2);
const require = createRequire(path.join(folder, "package.json"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

/** A page whose complaints and requests are noted. */
const open = async (url, scheme, width) => {
  const context = await browser.newContext({
    bypassCSP: false,
    colorScheme: scheme,
    viewport: { width, height: 900 },
  });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push("a dialog: " + dialog.message());
    return dialog.dismiss();
  });
  page.on("request", (request) => {
    const isOurs = ["file:", "data:", "blob:", "http://127.0.0.1:"].some((start) => request.url().startsWith(start));
    if (!isOurs) problems.push("a request to " + request.url());
  });
  await page.goto(url);
  return { context, page, problems };
};

/** The findings of the checker of accessibility, which needs a page without a policy, after some clicks. */
const findings = async (url, ready, clicks = []) => {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector(ready);
  for (const selector of clicks) await page.locator(selector).first().click({ force: true });
  await page.waitForTimeout(300);
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate(() => window.axe.run());
  await context.close();
  return violations.map(({ id, nodes }) => `${id} at ${nodes[0].target}: ${nodes[0].failureSummary}`);
};

const shown = (page, id, text) =>
  page.waitForFunction(([where, what]) => document.getElementById(where).textContent.includes(what), [id, text]);

/** Whether every chart over time shows the current time and the names of its lanes. */
const chartsFollow = () =>
  [...document.querySelectorAll("svg[data-left]")].every((chart) => {
    const box = chart.closest(".scroll").getBoundingClientRect();
    const [cursor, names] = [".cursor", ".lane"].map((part) => chart.querySelector(part).getBoundingClientRect());
    return box.left <= names.left && names.right < cursor.left && cursor.left < box.right;
  });

const driveReport = async (file) => {
  const url = pathToFileURL(file).href;
  for (const [scheme, width] of [["light", 1280], ["dark", 390]]) {
    const { context, page, problems } = await open(url, scheme, width);
    // A witness opens at its start.
    await shown(page, "where", "start");
    await page.click("#next");
    await shown(page, "where", "step 1");
    await page.waitForFunction(chartsFollow);
    await page.keyboard.press("End");
    await shown(page, "where", "end of the run");
    await page.click("#trace button >> nth=1");
    await shown(page, "where", "step 1");
    await page.keyboard.press("End");
    await page.waitForFunction(chartsFollow);
    await page.evaluate(() => {
      const slider = document.getElementById("slider");
      slider.value = "2";
      slider.dispatchEvent(new Event("input"));
    });
    await shown(page, "where", "step 2");
    assert.ok((await page.locator(".here").count()) > 0, "locations are marked");
    // The step is a column of the chart by step; processes that do not move and details are folded.
    const column = await page.evaluate(() => {
      const chart = document.querySelector("svg[data-by-step]");
      const [left, right] = ["data-left", "data-right"].map((name) => Number(chart.getAttribute(name)));
      const cursor = chart.querySelector(".cursor");
      return { x: Number(cursor.getAttribute("x")), expected: left + ((right - left) * 2) / 5 };
    });
    assert.ok(Math.abs(column.x - column.expected) < 0.01, "the cursor is at the step");
    const isSeen = (selector) => page.locator(selector).first().isVisible();
    assert.ok(!(await isSeen(".still figure")) && !(await isSeen(".details dl")), "folded at first");
    await page.click(".still summary");
    await page.click(".details summary");
    assert.ok((await isSeen(".still figure")) && (await isSeen(".details dl")), "unfolded by a click");
    assert.ok((await page.textContent("#trace")).includes("at 0"), "steps have dates");
    const sides = await page.evaluate(() => [...document.querySelectorAll("#zone .side")].map((it) => getComputedStyle(it).display));
    assert.ok(sides.length > 0 && sides.every((display) => display === "inline"), "the sides of the zone are drawn");
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(beyond <= 0, `the page is ${beyond} pixels too wide`);
    await page.screenshot({ path: path.join(folder, `report-${scheme}-${width}.png`), fullPage: true });
    assert.deepEqual(problems, [], "a page about a run complains");
    await context.close();
  }
  assert.deepEqual(await findings(url, "#where"), [], "a page about a run has violations");
};

/** Pages without a script: the comparison of strategies, an index, and reports about models and samples. */
const drivePage = async (file, texts) => {
  const url = pathToFileURL(file).href;
  const name = path.basename(file, ".html");
  for (const [scheme, width] of [["light", 1280], ["dark", 390]]) {
    const { context, page, problems } = await open(url, scheme, width);
    const text = await page.textContent("body");
    for (const expected of texts) assert.ok(text.includes(expected), `${name} has no "${expected}"`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(beyond <= 0, `${name} is ${beyond} pixels too wide`);
    await page.screenshot({ path: path.join(folder, `${name}-${scheme}-${width}.png`), fullPage: true });
    if (await page.locator(".details").count()) {
      assert.ok(!(await page.locator(".details dl").isVisible()), "details are folded");
      await page.locator(".details summary").click();
      assert.ok(await page.locator(".details dl").isVisible(), "details are unfolded");
    }
    const links = page.locator("a.entry");
    if (await links.count()) {
      await links.first().click();
      await page.waitForSelector("h1 .verdict");
    }
    assert.deepEqual(problems, [], `${name} complains`);
    await context.close();
  }
  assert.deepEqual(await findings(url, "h1"), [], `${name} has violations`);
};

/** Runs the program, which may answer that a query is not satisfied. */
const run = (...words) => {
  const { status, stderr } = spawnSync(zonaut, words, { encoding: "utf8" });
  assert.ok(status === 0 || status === 1, stderr);
};

/** Serves a model while `work` goes on. */
const serving = async (model, work) => {
  const child = spawn(zonaut, ["serve", model], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const line = await new Promise((resolve, reject) => {
      child.stdout.once("data", (data) => resolve(data.toString().trim()));
      child.once("exit", () => reject(new Error("the explorer ended")));
    });
    await work(line);
  } finally {
    child.kill("SIGINT");
  }
};

/** The list of queries: edit, add, remove, history, and the file that keeps them. */
const driveQueries = async (page) => {
  await page.click('[aria-label="Edit this query: E<> Tran(0).crossing"]');
  assert.equal(await page.inputValue("#query"), "E<> Tran(0).crossing");
  await page.fill("#query", "E<> Train(0).halted");
  await page.click("#send");
  await shown(page, "answer", "satisfied");
  await page.fill("#query", "A[] not deadlock");
  await page.click("#add-query");
  const texts = await page.locator("#queries .query-row > button:first-child").allTextContents();
  assert.ok(texts.some((text) => text.includes("E<> Train(0).halted")), "the edited query is in the list");
  assert.ok(!texts.some((text) => text.includes("Tran(0)")), "and replaces the old one");
  assert.ok((await page.textContent("#history")).includes("Train(0).halted"), "answers have a history");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-queries")]);
  assert.equal(saved.suggestedFilename(), "train-gate.q");
  await saved.saveAs(path.join(folder, "saved.q"));
  const file = fs.readFileSync(path.join(folder, "saved.q"), "utf8");
  assert.ok(file.includes("E<> Train(0).halted") && file.includes("A[] not deadlock"), file);
  execFileSync(zonaut, ["check", path.join(models, "train-gate/train-gate.xta"), path.join(folder, "saved.q")]);
  await page.reload();
  await page.waitForSelector("#queries button");
  assert.ok((await page.textContent("#queries")).includes("A[] not deadlock"), "a reload keeps the list");
  await page.click('[aria-label="Remove this query: A[] not deadlock"]');
  assert.ok(!(await page.textContent("#queries")).includes("A[] not deadlock"), "queries can be removed");
};

/** The controls that cannot be seen without scrolling anything. */
const outOfSight = (page, selectors) =>
  page.evaluate((all) => all.filter((selector) => {
    const element = document.querySelector(selector);
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return !top || !(element.contains(top) || top.contains(element)) || y + height > innerHeight;
  }), selectors);
const CONTROLS = ["#queries", "#send", "#next-title", "#delay", "#choices button", "#blocked summary", "#back", "#play", "#run", "#save", "#open", "#zone-title"];

const driveExplorer = (url) => async () => {
  for (const [scheme, width] of [["light", 1280], ["dark", 1600], ["dark", 390]]) {
    const { context, page, problems } = await open(url, scheme, width);
    await page.waitForSelector("#choices button");
    await shown(page, "where", "in the initial state");
    await page.click("#choices button >> nth=0");
    await shown(page, "where", "after 1 transition");
    await page.click("#back");
    await shown(page, "where", "in the initial state");
    assert.ok(await page.isEnabled("#forward"), "an undone step can be taken again");
    if (width >= 1000) assert.deepEqual(await outOfSight(page, CONTROLS), [], "everything that a first step needs is in sight");
    await page.click("#blocked summary");
    assert.ok((await page.locator("#obstacles li").count()) > 0, "something cannot be taken");
    if (width >= 1000) {
      assert.deepEqual(await outOfSight(page, [...CONTROLS, "#obstacles .move"]), [], "the first reason is in sight");
      const beyond = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
      assert.ok(beyond <= 0, `the page is ${beyond} pixels too high`);
    } else {
      const tops = await page.evaluate(() => [...document.querySelectorAll("#automata figure")].map((it) => it.offsetTop));
      assert.ok(new Set(tops).size === 1, "automata stand beside each other on a phone");
    }
    // A template that several trains share asks which one; a choice fires by the keyboard, too.
    await page.locator("#automata .enabled .hit").first().click({ force: true });
    await shown(page, "pick", "4 transitions take this edge");
    await page.click("#pick button >> nth=2");
    await shown(page, "where", "after 1 transition");
    assert.ok((await page.textContent("#run [aria-current]")).includes("Train(2)"), "the chosen train moves");
    assert.ok(await page.isHidden("#pick"), "the choice is closed");
    await page.click("#back");
    await shown(page, "where", "in the initial state");
    await page.keyboard.press("1");
    await shown(page, "where", "after 1 transition");
    await page.hover("#choices button >> nth=0");
    assert.ok((await page.locator(".hover").count()) > 0, "the edges of a choice light up");
    const before = await page.textContent("#where");
    await page.click("#choices button >> nth=1");
    await page.waitForFunction((text) => document.getElementById("where").textContent !== text, before);
    await page.mouse.move(1, 1);
    assert.equal(await page.locator(".hover").count(), 0, "edges of the state before stay dark");
    // Reloading keeps the state, and so does its link.
    const address = page.url();
    await page.reload();
    await shown(page, "where", "after 2 transitions");
    assert.ok(address.includes("/p="), "states have addresses");
    // An edge that stays enabled keeps the focus when the state is shown again.
    await page.keyboard.press("Home");
    await shown(page, "where", "in the initial state");
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    await page.locator("#automata .enabled").first().focus();
    const label = await focused();
    await page.evaluate(() => document.getElementById("delay").dispatchEvent(new Event("change")));
    await page.waitForSelector("#any-delay:enabled");
    await page.evaluate(() => document.getElementById("any-delay").click());
    await page.waitForSelector("#any-delay:disabled");
    assert.ok(label.startsWith("fire ") && (await focused()) === label, "a refreshed edge keeps the focus");
    await page.keyboard.press("r");
    await page.keyboard.press("r");
    await shown(page, "where", "after 2 transitions");
    // A query keeps the run that was made by hand.
    await page.click("#queries button >> nth=0");
    await shown(page, "answer", "satisfied");
    assert.ok((await page.locator("#answer .certified").count()) === 1, "the answer is certified");
    if (width >= 1000) assert.deepEqual(await outOfSight(page, [...CONTROLS, "#answer", "#show-trace"]), [], "the answer hides nothing");
    await shown(page, "queries", "satisfied, certified");
    await shown(page, "where", "after 2 transitions");
    if (await page.locator("#show-trace").count()) {
      await page.click("#show-trace");
      await shown(page, "where", "in the initial state");
      assert.ok((await page.locator("#kept button").count()) > 0, "the old trace is kept");
      const ahead = page.locator("#run .ahead button");
      assert.ok((await ahead.count()) > 1 && (await ahead.first().textContent()).includes("Train(0)"), "the steps ahead have names");
      if (width >= 1000) {
        const box = await page.locator("#run").boundingBox();
        assert.ok(box.height > 100 && box.y + box.height <= 900, "the trace is in sight beside an answer");
      }
      while (await page.isEnabled("#forward")) {
        const where = await page.textContent("#where");
        await page.click("#forward");
        await page.waitForFunction((text) => document.getElementById("where").textContent !== text, where);
      }
      assert.ok((await page.locator(".taken").count()) > 0, "edges are marked");
      assert.equal(await page.inputValue("#delay-exact"), "", "any transition may follow the trace");
    }
    for (const [kind, name] of [["trace", "run.json"], ["xtr", "run.xtr"], ["xml", "run.xml"], ["report", "run.html"]]) {
      await page.selectOption("#save-kind", kind);
      const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
      assert.equal(saved.suggestedFilename(), name);
      await saved.saveAs(path.join(folder, name));
    }
    // Saved traces of every format are opened again, and the trace before is kept.
    const last = await page.textContent("#where");
    for (const name of ["run.json", "run.xtr", "run.xml"]) {
      await page.setInputFiles("#trace-file", path.join(folder, name));
      await shown(page, "where", "in the initial state");
      while (await page.isEnabled("#forward")) {
        const where = await page.textContent("#where");
        await page.click("#forward");
        await page.waitForFunction((text) => document.getElementById("where").textContent !== text, where);
      }
      assert.equal(await page.textContent("#where"), last, name);
    }
    await page.click("#tab-source");
    assert.ok((await page.locator("#source .now").count()) > 0, "the line of the last edge is marked");
    // The first states are drawn without a request.
    await page.click("#tab-graph");
    await shown(page, "graph-about", "states");
    const boxes = page.locator("#graph [data-n]");
    assert.ok((await boxes.count()) > 10, "states are drawn");
    const first = await boxes.count();
    await page.click("#more-states");
    await page.waitForFunction((count) => document.querySelectorAll("#graph [data-n]").length > count, first);
    assert.ok((await page.locator("#graph .cover").count()) > 0, "covered states are dashed");
    if (width >= 1000) {
      const height = () => page.evaluate(() => document.getElementById("graph").clientHeight);
      const before = await height();
      await page.click("#enlarge");
      assert.ok((await height()) > before * 1.5, "charts can be enlarged");
      await page.click("#enlarge");
    }
    await page.click("#fit");
    await page.click("#zoom-in");
    await page.fill("#filter", "crossing");
    await shown(page, "graph-about", "contain this text");
    assert.ok((await page.locator("#graph .dim").count()) > 0, "other states are dimmed");
    await page.fill("#filter", "");
    await boxes.nth(3).focus();
    await page.keyboard.press("Enter");
    await shown(page, "chosen", "3: ");
    await page.click("#go");
    await page.waitForFunction(() => document.querySelector('#graph [data-n="3"]').classList.contains("here"));
    await page.fill("#query", "E<> Tran(0).crossing");
    await page.click("#send");
    await shown(page, "answer", "error");
    assert.ok(!(await page.textContent("#queries")).includes("\u2717"), "an error is no violation");
    await driveQueries(page);
    await page.screenshot({ path: path.join(folder, `explorer-${scheme}-${width}.png`), fullPage: true });
    assert.deepEqual(problems, [], "the explorer complains");
    await context.close();
  }
  for (const clicks of [["#tab-graph"], ["#edit-mode", "#automata [data-label]"], ["#tab-source", "#source-edit"], ["#choices button", "#blocked summary", "#keys"]]) {
    assert.deepEqual(await findings(url, "#choices button", clicks), [], "the explorer has violations after " + clicks.join(", "));
  }
};

/** A delay on the slider, an edge that fires on a click, and a file that breaks and heals. */
const driveSimulator = (file) => async (url) => {
  const { context, page, problems } = await open(url, "light", 1280);
  await page.waitForSelector("#choices button");
  await shown(page, "delay-hint", "at most 5");
  const slide = (value) => page.evaluate((to) => {
    const slider = document.getElementById("delay");
    slider.value = to;
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
  }, value);
  await slide("1");
  await page.waitForSelector("#choices .later");
  await slide("3");
  await page.waitForFunction(() => !document.querySelector("#choices .later"));
  await page.locator("#automata .enabled .hit").first().click({ force: true });
  await shown(page, "where", "after 1 transition, at time 3");
  // A committed location lets no time pass.
  await shown(page, "delay-hint", "no time may pass");
  assert.ok(await page.isDisabled("#delay"), "the slider is bounded");
  const text = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, text.replace("x <= 5", "x <= nothing"));
  await shown(page, "problem", "has errors");
  fs.writeFileSync(file, text.replace("x <= 5", "x <= 7"));
  await page.waitForFunction(() => document.getElementById("problem").hidden);
  await page.keyboard.press("u");
  await shown(page, "delay-hint", "at most 7");
  // A fraction between two integers.
  await page.fill("#delay-exact", "2.5");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.getElementById("delay-exact").value === "25/10");
  await page.click("#choices button >> nth=0");
  await shown(page, "where", "at time 5/2");
  // A change that forbids the step: the trace is kept up to it, and the step is marked.
  fs.writeFileSync(file, text.replace("guard x >= 2", "guard x >= 9"));
  await page.waitForSelector("#run .broken");
  await shown(page, "problem", "step 1 of the trace is not possible any more");
  assert.ok((await page.textContent("#run .broken")).includes("x >= 9"), "the reason is shown");
  // A click on a disabled edge says why, beside the edge and in the list.
  await page.locator("#automata [data-e] .hit").first().click({ force: true });
  await shown(page, "pick", "Disabled: the guard requires");
  assert.ok((await page.locator("#obstacles .asked").count()) > 0, "the reason is marked in the list");
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#pick"), "Escape closes the reason");
  fs.writeFileSync(file, text);
  await page.waitForFunction(() => document.querySelectorAll("#choices button").length === 1);
  // Random play with the same seed takes the same steps.
  const played = async () => {
    await page.keyboard.press("Home");
    await page.fill("#seed", "7");
    await page.click("#random");
    await page.waitForFunction(() => document.getElementById("where").textContent.startsWith("after 1 "));
    return page.url().split("/p=")[1];
  };
  assert.equal(await played(), await played(), "a seed determines the steps");
  await page.click("#play");
  const colours = () => page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.getElementById("play"));
    return [color, backgroundColor];
  });
  assert.ok(new Set(await colours()).size === 2, "a pressed button is legible");
  await shown(page, "where", "after 2 transitions");
  await page.waitForFunction(() => document.getElementById("play").textContent === "Play");
  assert.ok(await page.isDisabled("#play"), "a deadlock has nothing to play");
  assert.deepEqual(problems, [], "the simulator complains");
  await context.close();
};

/** Labels, declarations and positions are edited and saved to the opened file. */
const driveEditor = (file) => async (url) => {
  const { context, page, problems } = await open(url, "light", 1280);
  await page.waitForSelector("#choices button");
  const before = fs.readFileSync(file, "utf8");
  await page.click("#edit-mode");
  await page.locator("#automata [data-label]").first().click({ force: true });
  await page.waitForSelector("#labels[open]");
  assert.equal(await page.inputValue("#label-fields [name=guard]"), "x >= 2");
  // An error keeps the dialog open and the file as it is.
  await page.fill("#label-fields [name=guard]", "x >= nothing");
  await page.click("#labels-form [type=submit]");
  await shown(page, "labels-problem", "not saved");
  assert.equal(fs.readFileSync(file, "utf8"), before);
  await page.fill("#label-fields [name=guard]", "x >= 3 && x < 5");
  await page.click("#labels-form [type=submit]");
  await page.waitForFunction(() => !document.getElementById("labels").open);
  assert.equal(fs.readFileSync(file, "utf8"), before.replace("x &gt;= 2", "x &gt;= 3 &amp;&amp; x &lt; 5"));
  await shown(page, "automata", "x >= 3 && x < 5");
  // The invariant of a location.
  await page.locator("#automata [data-l='0'] circle").first().click({ force: true });
  await page.waitForSelector("#labels[open]");
  await page.fill("#label-fields [name=invariant]", "x <= 8");
  await page.click("#labels-form [type=submit]");
  await page.waitForFunction(() => !document.getElementById("labels").open);
  await shown(page, "delay-hint", "at most 8");
  // A location is dragged, another is moved by keys, and the positions are saved.
  const circle = await page.locator("#automata [data-l='1'] circle").first().boundingBox();
  await page.mouse.move(circle.x + 5, circle.y + 5);
  await page.mouse.down();
  await page.mouse.move(circle.x + 65, circle.y + 45, { steps: 5 });
  await page.mouse.up();
  await shown(page, "save-positions", "Save positions (1)");
  await page.locator("#automata [data-l='0']").focus();
  await page.keyboard.press("ArrowUp");
  await shown(page, "save-positions", "Save positions (2)");
  await page.click("#save-positions");
  await page.waitForFunction(() => document.getElementById("save-positions").hidden);
  const drawn = fs.readFileSync(file, "utf8");
  const scale = await page.evaluate(() => {
    const svg = document.querySelector("#automata svg");
    return svg.clientWidth / svg.viewBox.baseVal.width;
  });
  const [, x, y] = /id="b" x="(\d+)" y="(\d+)"/.exec(drawn);
  assert.ok(Math.abs(Number(x) - 200 - 60 / scale) < 10 && Math.abs(Number(y) - 40 / scale) < 10, drawn);
  assert.ok(/id="a" x="0" y="-10"/.test(drawn), drawn);
  // The declarations as a part of the file.
  await page.click("#tab-source");
  await page.click("#source-edit");
  await page.selectOption("#source-part", { label: "Declarations" });
  await page.fill("#source-text", "clock x; int[0,4] n = 3;");
  await page.click("#source-save");
  await page.waitForFunction(() => document.getElementById("source-text").hidden);
  await shown(page, "values", "n3");
  assert.ok(fs.readFileSync(file, "utf8").includes("<declaration>clock x; int[0,4] n = 3;</declaration>"));
  // A file that changed meanwhile is replaced only if the user insists.
  await page.route("**/api/watch", (route) => route.abort());
  // A request that is under way may still read the file.
  await page.waitForTimeout(3000);
  await page.click("#source-edit");
  await page.selectOption("#source-part", { label: "Declarations" });
  await page.fill("#source-text", "clock x; int[0,4] n = 1;");
  const other = fs.readFileSync(file, "utf8").replace("n = 3", "n = 2");
  fs.writeFileSync(file, other);
  await page.click("#source-save");
  await page.waitForSelector("#changed:not([hidden])");
  assert.equal(fs.readFileSync(file, "utf8"), other, "the file is kept");
  await page.unroute("**/api/watch");
  await page.click("#overwrite");
  await shown(page, "values", "n1");
  assert.ok(fs.readFileSync(file, "utf8").includes("n = 1"));
  const unexpected = problems.filter((text) => !/40\d|422|ERR_FAILED/.test(text));
  assert.deepEqual(unexpected, [], "the editor complains");
  await context.close();
};

/** The time from a click on the first enabled transition until the next state is painted. */
const stepTime = () => new Promise((done) => {
  const start = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
  }).observe(document.getElementById("where"), { childList: true });
  document.querySelector("#choices button:not([disabled])").click();
});

/** Twelve processes are on one screen, without scrolling the page. */
const driveTwelve = async (url) => {
  const { context, page, problems } = await open(url, "light", 1280);
  await page.waitForSelector("#choices button");
  const { inner, whole, drawn } = await page.evaluate(() => ({
    inner: innerHeight,
    whole: document.documentElement.scrollHeight,
    drawn: [...document.querySelectorAll("#automata figure")].every((figure) => figure.getBoundingClientRect().bottom <= innerHeight),
  }));
  assert.ok(whole <= inner && drawn, `12 processes fit on one screen: ${whole} of ${inner}`);
  const [name, value] = await page.evaluate(() => [...document.querySelectorAll("#values tr:first-child td")].map((cell) => cell.offsetWidth));
  assert.ok(name > 2 * value, "names have more room than values");
  const times = [];
  for (let step = 0; step < 8; step++) times.push(await page.evaluate(stepTime));
  console.log(`ui-test: steps of 12 processes are shown ${times.map((time) => time.toFixed(0)).join(", ")} ms after the click`);
  // The least time depends least on other programs.
  assert.ok(Math.min(...times) < 300, "a step is shown after " + times);
  await page.screenshot({ path: path.join(folder, "twelve.png") });
  assert.deepEqual(problems, [], "the explorer of 12 processes complains");
  await context.close();
};

/** Instances of a template are told by their numbers. */
const driveInstances = async (url) => {
  const { context, page, problems } = await open(url, "dark", 820);
  await page.waitForSelector(".token-text");
  assert.deepEqual((await page.locator(".token-text").allTextContents()).sort(), ["1", "2"]);
  await page.fill("#query", "E<> Door2.open");
  await page.click("#send");
  await shown(page, "answer", "satisfied after 1 transition: Door2.open holds");
  await page.screenshot({ path: path.join(folder, "explorer-dark-820.png"), fullPage: true });
  assert.deepEqual(problems, [], "the explorer of instances complains");
  await context.close();
};

/** Tokens hide no text of a drawing with names at the left of its locations. */
const driveTokens = async (url) => {
  const { context, page, problems } = await open(url, "light", 1280);
  await page.waitForSelector(".token-text");
  const hidden = await page.evaluate(() => {
    const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => [element.textContent, element.getBoundingClientRect()]);
    const texts = boxes("#automata svg text:not(.token-text)");
    return texts.filter(([, text]) => boxes(".token").some(([, token]) =>
      token.left < text.right && text.left < token.right && token.top < text.bottom && text.top < token.bottom)).map(([name]) => name);
  });
  assert.deepEqual(hidden, [], "tokens hide no text");
  assert.deepEqual(problems, [], "the explorer of tokens complains");
  await context.close();
};

/** A search without end is cancelled. */
const driveCancel = (url) => async () => {
  const { context, page, problems } = await open(url, "light", 1280);
  await page.waitForSelector("#choices button");
  await page.click("#queries button >> nth=0");
  await shown(page, "answer", "searching:");
  await page.click("#cancel");
  await shown(page, "answer", "cancelled");
  assert.deepEqual(problems, [], "cancelling complains");
  await context.close();
};

const write = (name, text) => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const hostile = "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;'&#x202e;";
const hostileModel = write("hostile.xml", `<nta><declaration>int n;</declaration><template><name>P</name>
<location id="a" x="0" y="0"><name>a</name><label kind="comments">${hostile}</label></location>
<location id="b" x="200" y="0"><name>b</name></location><init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="assignment">n = 1 /* ${hostile} */</label>
<label kind="comments">${hostile}</label></transition></template><system>system P;</system>
<queries><query><formula>E&lt;&gt; P.b</formula><comment>${hostile}</comment></query></queries></nta>`);
const endless = write("endless.xta", `int[0,30000] a, b, c; process P() { state s; init s; trans
s -> s { guard a < 30000; assign a = a + 1; }, s -> s { guard b < 30000; assign b = b + 1; },
s -> s { guard c < 30000; assign c = c + 1; }; } system P; query { E<> a + b + c == 90000
}`);

const counter = write("counter.xta", `clock x, y; int[0,3000] n; chan tick; process P() { state s { x <= 3 };
init s; trans s -> s { guard x >= 1; sync tick!; assign n = n + 1, x = 0; }; }
process Q() { state even, odd; init even; trans even -> odd { sync tick?; assign y = 0; }, odd -> even { sync tick?; }; }
system P, Q; query { E<> n == 2000
}`);

/** The processor time of a page until it can be used, in milliseconds: other programs do not count. */
const loading = async (file) => {
  const { context, page, problems } = await open(pathToFileURL(file).href, "light", 1280);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const before = await spent();
  await page.reload();
  await shown(page, "where", "at time");
  const time = (await spent()) - before;
  // The chart is scrolled to the last step; its names are in sight.
  await page.keyboard.press("End");
  await page.waitForFunction(() => {
    const box = document.getElementById("sequence");
    const top = (element) => element.getBoundingClientRect().top;
    return Math.abs(top(box.querySelector(".heads")) - top(box)) < 4;
  });
  await page.keyboard.press("Home");
  await shown(page, "where", "start");
  assert.deepEqual(problems, [], "a page about a long run complains");
  await context.close();
  return time;
};

// Pages that are named in the environment are loaded, and nothing else is done.
if (process.env.ZONAUT_PAGES) {
  for (const file of process.env.ZONAUT_PAGES.split(":")) {
    console.log(`${(await loading(file)).toFixed(0)} ms ${fs.statSync(file).size} bytes ${path.basename(file)}`);
  }
  await browser.close();
  process.exit(0);
}

try {
  const long = path.join(folder, "long.html");
  execFileSync(zonaut, ["verify", counter, "--report", long]);
  const time = await loading(long);
  console.log(`ui-test: a page about 2,000 transitions, ${fs.statSync(long).size} bytes, loads in ${time.toFixed(0)} ms of processor time`);
  assert.ok(time > 0 && time < 5000, "a page about a long run loads slowly");
  const gate = path.join(models, "train-gate/train-gate.xta");
  const report = path.join(folder, "run.html");
  const query = "E<> Train(0).crossing and Train(1).halted";
  execFileSync(zonaut, ["verify", gate, "-q", query, "--report", report]);
  assert.ok(fs.readFileSync(report, "utf8").includes("near[0]: Train(0) \u2192 Gate"), "steps name their channels");
  await driveReport(report);
  const file = (name) => path.join(folder, name);
  const model = (name) => path.join(models, name);
  run("race", model("fischer-errors/fischer-count.xta"), "bfs", "astar(hl)", "greedy(hu)", "--report", file("race.html"));
  await drivePage(file("race.html"), ["decided first: satisfied", "astar(hl)"]);
  // Only searches that take some time have charts.
  const eight = write("eight.xta", execFileSync(zonaut, ["generate", "fischer", "8"], { encoding: "utf8" }));
  run("race", eight, "bfs", "dfs", "--report", file("long-race.html"));
  await drivePage(file("long-race.html"), ["Explored states over time", "More charts"]);
  run("verify", model("arrivals/arrivals.xta"), "--report", file("index.html"));
  await drivePage(file("index.html"), ["not satisfied", "estimated", "simulated"]);
  await drivePage(file("index-5.html"), ["Runs by the max of waiting"]);
  await drivePage(file("index-6.html"), ["Trajectories"]);
  run("explore", model("lossy-link/lossy-link.xml"), "--report", file("explored.html"));
  await drivePage(file("explored.html"), ["A deadlock is reachable", "No process can move"]);
  run("optimize", model("job-shop/job-shop.xta"), "-q", "1", "--report", file("optimum.html"));
  await drivePage(file("optimum.html"), ["The least cost is 12", "Schedule"]);
  run("verify", gate, "-q", "A<> Train(0).crossing", "--report", file("liveness.html"));
  await drivePage(file("liveness.html"), ["Train(0).crossing never holds", "time passes for ever"]);
  run("verify", model("fischer/fischer.xta"), "-q", "A[] not (P(1).critical and P(2).critical)", "--report", file("proof.html"));
  await drivePage(file("proof.html"), ["The formula holds in every reachable state", "certified"]);
  await serving(gate, (url) => driveExplorer(url)());
  const simulated = write("simulated.xta", `clock x; process P() { state a { x <= 5 }, b, c; commit b; init a;
trans a -> b { guard x >= 2; }, b -> c { }; } system P;`);
  await serving(simulated, (url) => driveSimulator(simulated)(url));
  const edited = write("edited.xml", `<nta><declaration>clock x; int n;</declaration><template><name>P</name>
<location id="a" x="0" y="0"><name>a</name><label kind="invariant">x &lt;= 5</label></location>
<location id="b" x="200" y="0"><name>b</name></location><init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="guard">x &gt;= 2</label></transition>
</template><system>system P;</system></nta>`);
  await serving(edited, driveEditor(edited));
  const twelve = path.join(folder, "twelve.xta");
  execFileSync(zonaut, ["generate", "fischer", "12", "-o", twelve], { stdio: "ignore" });
  await serving(twelve, driveTwelve);
  const doors = write("doors.xta", `process Door() { state shut, open; init shut; trans shut -> open { }; }
Door1 = Door(); Door2 = Door(); system Door1, Door2;`);
  await serving(doors, driveInstances);
  const lefthand = write("lefthand.xml", `<nta><template><name>Train</name><parameter>int[0,2] id</parameter>
<location id="a" x="0" y="0"><name x="-48" y="-8">Safe</name></location><location id="b" x="0" y="120"><name x="-48" y="112">Cross</name></location>
<init ref="a"/><transition><source ref="a"/><target ref="b"/></transition></template><system>system Train;</system></nta>`);
  await serving(lefthand, driveTokens);
  await serving(endless, (url) => driveCancel(url)());
  execFileSync(zonaut, ["verify", hostileModel, "--report", path.join(folder, "hostile.html")]);
  const { context, page, problems } = await open(pathToFileURL(path.join(folder, "hostile.html")).href, "light", 1280);
  await page.click("#last");
  await shown(page, "where", "step 1");
  assert.deepEqual(problems, [], "a page with hostile names complains");
  await context.close();
  await serving(hostileModel, async (url) => {
    const explorer = await open(url, "light", 1280);
    await explorer.page.waitForSelector("#choices button");
    await explorer.page.click("#choices button >> nth=0");
    await shown(explorer.page, "where", "after 1 transition");
    assert.equal(await explorer.page.locator("img").count(), 0, "names are text");
    assert.deepEqual(explorer.problems, [], "an explorer with hostile names complains");
    await explorer.context.close();
  });
} finally {
  await browser.close();
}
