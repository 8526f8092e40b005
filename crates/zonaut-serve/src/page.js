const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
/** The address of a state: the token, then the path and the delays. */
const [token, ...address] = location.hash.slice(1).split("/");
const stored = "zonaut-" + token.slice(0, 8);

/** Makes an element with a text and a class. */
const make = (name, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};

const button = (text, action, kind) => {
  const element = make("button", text, kind);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
};

const listed = (content) => {
  const item = make("li");
  item.append(content);
  return item;
};

const complain = (text) => {
  byId("problem").textContent = text;
  byId("problem").hidden = text === "";
};

const post = async (path, body, signal) => {
  const headers = { "Content-Type": "application/json", "X-Zonaut-Token": token };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
};

/** A drawing that the server made; every text in it is escaped there. */
const drawing = (text) => {
  const parsed = new DOMParser().parseFromString(text, "text/html");
  return document.importNode(parsed.querySelector("svg"), true);
};

const svgElement = (name, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
};

let model = null;
let state = null;
let figures = [];
/** The path to the current state, the steps ahead of it, and the delays in its states. */
let path = [];
let ahead = [];
let delays = [];
let clocks = null;
/** Traces that were replaced, and the first step that a changed model does not allow. */
let kept = [];
let broken = null;

/** The last transition of each known path, in one line, so that the steps ahead have names. */
const titles = new Map();
const MOST_TITLES = 300;
const knowTitles = (steps, names) => {
  names.slice(0, Math.min(steps.length, MOST_TITLES)).forEach((name, position) => titles.set(steps.slice(0, position + 1).join("."), name));
};

/** The delays of a trace. A trace that ends at once leaves the delay in its last state open. */
const staysOf = (stays, steps) => stays.map((stay, position) => (position === steps.length && stay === "0" ? null : stay));

/** The value of a delay such as "3" or "7/2". */
const valueOf = (text) => {
  const [numerator, denominator = "1"] = String(text).split("/");
  return Number(numerator) / Number(denominator);
};
/** A delay that was typed, as a fraction; null if it is none. */
const fractionOf = (text) => {
  const trimmed = text.trim();
  if (/^\d{1,9}(\/[1-9]\d{0,5})?$/.test(trimmed)) return trimmed;
  const decimal = trimmed.match(/^(\d{0,9})\.(\d{1,6})$/);
  return decimal ? `${Number(decimal[1] + decimal[2])}/${10 ** decimal[2].length}` : null;
};

const numbers = (text) => (text ? text.split(".").map(Number).filter(Number.isInteger) : []);
const restore = () => {
  for (const part of address) {
    const [key, value] = part.split("=");
    if (key === "p") path = numbers(value);
    if (key === "d") delays = value.split(".").map((word) => (/^\d+(_\d+)?$/.test(word) ? word.replace("_", "/") : null));
  }
  try {
    const saved = JSON.parse(sessionStorage.getItem(stored) || "{}");
    restoreQueries(saved);
    kept = saved.kept || [];
    ahead = saved.path === path.join(".") ? saved.ahead || [] : [];
  } catch {
    kept = [];
  }
};
const remember = () => {
  const steps = path.length > 0 ? "/p=" + path.join(".") : "";
  const stays = delays.slice(0, path.length + 1);
  const waits = stays.some((stay) => stay !== null) ? "/d=" + stays.map((stay) => (stay === null ? "" : stay.replace("/", "_"))).join(".") : "";
  history.replaceState(null, "", "#" + token + steps + waits);
  sessionStorage.setItem(stored, JSON.stringify({ ...savedQueries(), kept, ahead, path: path.join(".") }));
};

/** The number in or at the end of the name of an instance, or its first letters. */
const short = (name) => {
  const inner = name.match(/\(([^)]*)\)$/) || name.match(/(\d+)$/);
  return (inner ? inner[1] : name).slice(0, 3);
};

const figureOf = (template, name) => {
  const figure = make("figure");
  const caption = make("figcaption", name + " ");
  const here = make("span");
  caption.append(here);
  const box = make("div", undefined, "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "automaton " + name);
  const svg = drawing(template.picture);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "automaton " + name);
  const groups = (kind) => {
    const found = new Map();
    for (const group of svg.querySelectorAll(`[data-${kind}]`)) found.set(Number(group.getAttribute("data-" + kind)), group);
    return found;
  };
  const it = { figure, box, here, svg, template: model.templates.indexOf(template), locations: groups("l"), edges: groups("e"), labels: groups("label") };
  for (const group of it.edges.values()) {
    const line = group.querySelector("path");
    if (line) group.append(svgElement("path", { class: "hit", d: line.getAttribute("d") }));
  }
  box.append(svg);
  figure.append(caption, box);
  return it;
};

/** One figure for each process, or one that all instances of a template share. */
const showFigures = () => {
  const isSingle = byId("instances").checked;
  const shared = new Map();
  figures = model.processes.map((process) => {
    const template = model.templates[process.template];
    if (!template) return null;
    if (isSingle) return { ...figureOf(template, process.name), members: 1 };
    if (!shared.has(process.template)) {
      const count = model.processes.filter((other) => other.template === process.template).length;
      shared.set(process.template, { ...figureOf(template, count > 1 ? template.name : process.name), members: count });
    }
    return shared.get(process.template);
  });
  byId("automata").replaceChildren(...new Set(figures.filter((it) => it).map((it) => it.figure)));
  fitFigures();
  for (const it of new Set(figures)) {
    if (!it) continue;
    for (const [location, group] of it.locations) makeMovable(it, location, group);
    for (const [kind, groups] of [["edge", it.edges], ["label", it.labels]]) {
      for (const [part, group] of groups) {
        group.addEventListener("click", () => (isEditing ? editEdge(it, part) : fireEdge(it, part)));
        group.addEventListener("mouseenter", () => hoverEdge(it, part, true));
        group.addEventListener("mouseleave", () => hoverEdge(it, part, false));
        if (kind === "edge") {
          group.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") return;
            event.stopPropagation();
            event.preventDefault();
            if (isEditing) editEdge(it, part);
            else fireEdge(it, part);
          });
        }
      }
    }
  }
};

/** Scales the drawings so that all of them are visible, as far as they stay legible. */
const fitFigures = () => {
  const box = byId("automata");
  // On a phone the drawings stand beside each other, and the list of them is scrolled.
  const isRow = getComputedStyle(box).flexWrap === "nowrap";
  const isWithin = (it) => it.scrollHeight <= it.clientHeight + 1 && it.scrollWidth <= it.clientWidth + 1;
  const boxes = [...new Set(figures.filter((it) => it))].map((it) => it.box);
  const drawings = [...new Set(figures.filter((it) => it))].map(({ svg }) => {
    const { width, height } = svg.viewBox.baseVal;
    return { svg, width, height };
  });
  // Large panes have larger drawings.
  for (let scale = isRow ? 1 : 1.3; scale >= (isRow ? 0.75 : 0.5); scale -= scale > 1 ? 0.1 : 0.05) {
    for (const { svg, width, height } of drawings) {
      svg.setAttribute("width", String(width * scale));
      svg.setAttribute("height", String(height * scale));
    }
    if ((isRow || isWithin(box)) && boxes.every(isWithin)) break;
  }
};
window.addEventListener("resize", () => fitFigures());
byId("enlarge").addEventListener("click", () => {
  const isOn = document.querySelector(".middle").classList.toggle("enlarged");
  byId("enlarge").setAttribute("aria-pressed", String(isOn));
  fitFigures();
});

const showModel = () => {
  byId("name").textContent = model.name;
  document.title = `${model.name} - Zonaut explorer`;
  showFigures();
  showQueries();
  const [first] = model.processes;
  const place = first && (first.locations.find((name) => name !== "") || "");
  const example = place ? `${first.name}.${place}` : "Process.location";
  byId("query").placeholder = "E<> " + example;
  byId("filter").placeholder = "filter, as in " + example;
  byId("source").replaceChildren(...model.source.split("\n").map((line) => make("span", line === "" ? " " : line)));
};

/** The choices that take an edge of a figure. */
const choicesOf = (figure, part) =>
  state.choices
    .map((choice, number) => ({ choice, number }))
    .filter(({ choice }) => !choice.failure && choice.edges.some((edge) => figures[edge.process] === figure && edge.parts.includes(part)));

/** Shows some elements beside an edge, until the user does anything else. */
const showPick = (edge, ...content) => {
  const box = byId("pick");
  box.replaceChildren(...content);
  box.hidden = false;
  const [at, size] = [edge.getBoundingClientRect(), box.getBoundingClientRect()];
  const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
  box.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - size.width - 8))}px`;
  box.style.top = `${Math.max(4, Math.min(y + 12, innerHeight - size.height - 8))}px`;
  (box.querySelector("button") || box).focus({ preventScroll: true });
};
const hidePick = () => {
  byId("pick").hidden = true;
};
document.addEventListener("pointerdown", (event) => {
  if (!(event.target instanceof Element && event.target.closest("#pick"))) hidePick();
});
byId("pick").addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.key === "Escape") hidePick();
});

const fireEdge = (figure, part) => {
  const found = choicesOf(figure, part);
  if (found.length === 1) return take(found[0].number);
  const edge = figure.edges.get(part);
  if (found.length === 0) showWhyDisabled(figure, part);
  else {
    showPick(edge, make("p", `${found.length} transitions take this edge:`), ...found.map(({ choice, number }) => {
      const item = button(choice.title, () => take(number));
      item.addEventListener("mouseenter", () => light(choice.edges, true));
      item.addEventListener("mouseleave", () => light(choice.edges, false));
      return item;
    }));
  }
  return undefined;
};

/** Shows the reasons why an edge is disabled, in the list of disabled transitions. */
const showWhyDisabled = (figure, part) => {
  const items = [...byId("obstacles").children];
  const found = state.obstacles.map((obstacle, number) => ({ obstacle, number }))
    .filter(({ obstacle }) => obstacle.parts.some((edge) => figures[edge.process] === figure && edge.parts.includes(part)));
  for (const item of items) item.classList.remove("asked");
  const edge = figure.edges.get(part);
  if (found.length === 0) {
    const source = model.templates[figure.template].sources[part];
    const where = source ? `${source}, which this edge leaves` : "the location that this edge leaves";
    showPick(edge, make("p", `Disabled: no process is in ${where}.`, "why"));
    return;
  }
  byId("blocked").open = true;
  for (const { number } of found) items[number].classList.add("asked");
  items[found[0].number].scrollIntoView({ block: "nearest" });
  const reasons = [...new Set(found.map(({ obstacle }) => obstacle.why))];
  showPick(edge, ...reasons.slice(0, 4).map((why) => make("p", "Disabled: " + why, "why")));
};

const hoverEdge = (figure, part, isOn) => {
  const items = byId("choices").querySelectorAll("button");
  const found = choicesOf(figure, part);
  light(found.flatMap(({ choice }) => choice.edges), isOn);
  for (const { number } of isOn ? found : []) items[number].classList.add("hovered");
};

/** Makes edges stand out, or none. The state may have changed since they did. */
const light = (edges, isOn) => {
  for (const element of document.querySelectorAll(".hover, .hovered")) element.classList.remove("hover", "hovered");
  for (const edge of isOn ? edges : []) {
    const it = figures[edge.process];
    for (const part of edge.parts) it && it.edges.get(part) && it.edges.get(part).classList.add("hover");
  }
};

let marked = [];
const mark = (element, name) => {
  if (!element) return;
  element.classList.add(name);
  marked.push([element, name]);
};

/** Scrolls a box until a part is visible, and nothing else. */
const follow = (box, part) => {
  if (!part) return;
  const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - outer.width / 3;
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
};

const overlap = (a, b) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

/** The boxes of tokens around a location: at its left, or where they hide least of the texts. */
const tokenBoxes = (x, y, names, texts) => {
  const width = (name) => Math.max(17, 6.1 * name.length + 8);
  if (names.length === 1) return [{ x: x - width(names[0]) / 2, y: y - 8.5, width: width(names[0]), height: 17 }];
  const around = (middle) => names.map((name, position) => {
    const angle = Math.PI * (middle + 0.27 * (position - (names.length - 1) / 2));
    return { x: x + 21 * Math.cos(angle) - width(name) / 2, y: y + 21 * Math.sin(angle) - 8.5, width: width(name), height: 17 };
  });
  const candidates = [1, 0, 1.25, 0.75, 1.75, 0.25, 1.5, 0.5].map((middle) => {
    const boxes = around(middle);
    return { boxes, hidden: boxes.reduce((sum, box) => sum + texts.reduce((area, text) => area + overlap(box, text), 0), 0) };
  });
  const least = Math.min(...candidates.map(({ hidden }) => hidden));
  return candidates.find(({ hidden }) => hidden === least).boxes;
};

/** Tokens of the instances in the drawings that several processes share. */
const showTokens = () => {
  for (const token of document.querySelectorAll(".tokens")) token.remove();
  const places = new Map();
  const texts = new Map();
  figures.forEach((it, process) => {
    if (!it || it.members < 2) return;
    const group = it.locations.get(state.locations[process]);
    if (!group) return;
    places.set(group, [...(places.get(group) || []), process]);
    it.texts ||= [...it.svg.querySelectorAll("text")].map((text) => text.getBBox());
    texts.set(group, it.texts);
  });
  for (const [group, members] of places) {
    const circle = group.querySelector("circle");
    const [x, y] = ["cx", "cy"].map((name) => Number(circle.getAttribute(name)));
    const tokens = svgElement("g", { class: "tokens" });
    const names = members.map((process) => short(model.processes[process].name));
    const shown = names.length > 4 ? [`${names.length}\u00d7`] : names;
    tokenBoxes(x, y, shown, texts.get(group)).forEach((box, position) => {
      tokens.append(svgElement("rect", { class: "token", ...box, rx: 8.5 }));
      const text = svgElement("text", { class: "token-text", x: box.x + box.width / 2, y: box.y + 12 });
      text.textContent = shown[position];
      tokens.append(text);
    });
    const title = svgElement("title", {});
    title.textContent = members.map((process) => model.processes[process].name).join(", ");
    tokens.append(title);
    group.append(tokens);
  }
};

const locationName = (process) => model.processes[process].locations[state.locations[process]] || "an unnamed location";

/** Makes a part of a drawing a button with a label, or none. One that stays a button keeps the focus. */
const showAction = (group, label) => {
  if (label === undefined) {
    for (const name of ["tabindex", "role", "aria-label"]) group.removeAttribute(name);
    return;
  }
  group.setAttribute("tabindex", "0");
  group.setAttribute("role", "button");
  group.setAttribute("aria-label", label);
};

const showMarks = () => {
  light([], false);
  for (const [element, name] of marked) element.classList.remove(name);
  marked = [];
  figures.forEach((it, process) => {
    if (!it) return;
    mark(it.locations.get(state.locations[process]), "here");
    it.here.textContent = it.members > 1 ? `${it.members} processes` : "in " + locationName(process);
  });
  for (const edge of state.taken) {
    const figure = figures[edge.process];
    for (const part of edge.parts) mark(figure && figure.edges.get(part), "taken");
  }
  const actions = new Map();
  for (const it of isEditing ? new Set(figures) : []) {
    for (const [part, group] of it ? it.edges : []) actions.set(group, `edit edge ${part + 1}`);
    for (const [location, group] of it ? it.locations : []) actions.set(group, `edit or move location ${location + 1}`);
  }
  for (const choice of isEditing ? [] : state.choices.filter((it) => !it.failure)) {
    for (const edge of choice.edges) {
      const figure = figures[edge.process];
      for (const part of edge.parts) {
        const group = figure && figure.edges.get(part);
        if (!group) continue;
        mark(group, "enabled");
        mark(figure.labels.get(part), "can");
        actions.set(group, "fire " + edge.text);
      }
    }
  }
  for (const it of new Set(figures)) {
    for (const group of it ? [...it.edges.values(), ...it.locations.values()] : []) showAction(group, actions.get(group));
  }
  showTokens();
  if (isEditing) return;
  const last = state.taken[0];
  const it = last && figures[last.process];
  if (it) follow(byId("automata"), it.locations.get(state.locations[last.process]));
};

const stay = () => (delays[path.length] === undefined ? null : delays[path.length]);

/** The delays at which a transition is enabled, as text. */
const interval = ({ from, to }) => (to === null ? `after ${from}+` : from === String(to) ? `after ${from}` : `after ${from}\u2013${to}`);

/** An edge as a text whose labels are less prominent than its locations. */
const edgeText = (text) => {
  const at = text.indexOf(" {");
  const element = make("span", at < 0 ? text : text.slice(0, at), "move");
  if (at >= 0) element.append(make("span", text.slice(at), "hint"));
  return element;
};

const showChoices = () => {
  const now = stay();
  const items = state.choices.map((choice, number) => {
    const item = button(undefined, () => take(number));
    const title = make("span", undefined, "title");
    title.append(make("span", choice.title));
    if (choice.delay && (choice.delay.from !== "0" || choice.delay.to !== null)) title.append(make("span", interval(choice.delay), "hint"));
    item.append(title);
    // The title of a transition with one edge names its locations already.
    const parts = choice.edges.map((edge) => (edge.labels === "" ? edge.move : `${edge.move} { ${edge.labels} }`));
    const detail = choice.edges.length === 1 ? choice.edges[0].labels : parts.join("; ");
    if (detail !== "") item.append(make("span", detail, "detail"));
    item.title = choice.edges.map((edge) => edge.text).join("\n");
    if (choice.failure) item.append(make("span", "fails: " + choice.failure, "why"));
    const isLater = now !== null && choice.delay && (valueOf(choice.delay.from) > valueOf(now) || (choice.delay.to !== null && Math.max(choice.delay.to, valueOf(choice.delay.from)) < valueOf(now)));
    if (isLater) {
      item.classList.add("later");
      item.title = "not enabled after this delay";
    }
    item.disabled = choice.failure !== null || isLater === true;
    item.addEventListener("mouseenter", () => light(choice.edges, true));
    item.addEventListener("mouseleave", () => light(choice.edges, false));
    item.addEventListener("focus", () => light(choice.edges, true));
    item.addEventListener("blur", () => light(choice.edges, false));
    return listed(item);
  });
  if (items.length === 0) items.push(make("li", state.obstacles.length > 0 ? "none: see why under Disabled transitions" : "none", "none"));
  byId("choices").replaceChildren(...items);
  byId("next-title").textContent = `Enabled transitions (${state.choices.length})`;
  const obstacles = state.obstacles.map(({ edges, why }) => {
    const item = make("li");
    item.append(...edges.map(edgeText), make("span", why, "why"));
    return item;
  });
  byId("blocked-title").textContent = `Disabled transitions (${obstacles.length})`;
  byId("obstacles").replaceChildren(...obstacles);
  if (state.choices.length === 0) byId("blocked").open = true;
};

/** Another state begins at the top of its lists, another delay keeps their positions. */
let listedPath = null;
const scrollUp = () => {
  if (listedPath === path.join(".")) return;
  listedPath = path.join(".");
  for (const id of ["choices", "blocked"]) byId(id).scrollTop = 0;
};

const showDelay = () => {
  const { most } = state;
  const slider = byId("delay");
  // Without an upper bound the slider ends a little behind the last change of enabledness.
  const bounds = state.choices.flatMap(({ delay }) => (delay ? [delay.to, Math.ceil(valueOf(delay.from))] : []));
  const end = most === null ? Math.max(10, ...bounds.map((bound) => (bound || 0) * 2)) : most;
  slider.max = String(end);
  slider.disabled = end === 0;
  slider.value = String(stay() === null ? 0 : valueOf(stay()));
  slider.setAttribute("aria-valuetext", stay() === null ? "earliest" : stay());
  byId("delay-exact").value = stay() === null ? "" : stay();
  byId("delay-exact").disabled = end === 0;
  byId("any-delay").disabled = stay() === null;
  byId("delay-hint").textContent = end === 0 ? "no time may pass" : most === null ? "delay unbounded" : `delay at most ${most}`;
};

let before = null;
const showValues = () => {
  const parts = state.zone === "" ? [] : state.zone === "true" ? ["no constraints"] : state.zone.split(/ and | && |, /);
  byId("zone").replaceChildren(...parts.map((text) => make("li", text)));
  byId("zone-section").hidden = parts.length === 0 && state.clocks.length < 2;
  const old = new Map(before ? before.variables : []);
  const rows = (values, isChanged) => values.map(([name, value]) => {
    const row = make("tr", undefined, isChanged(name, value) ? "changed" : "");
    row.append(make("td", name), make("td", String(value)));
    return row;
  });
  byId("places").replaceChildren(...rows(model.processes.map((process, number) => [process.name, locationName(number)]),
    (name) => before && before.locations.some((location, number) => model.processes[number].name === name && location !== state.locations[number])));
  byId("values").replaceChildren(
    ...rows(state.variables, (name, value) => old.has(name) && old.get(name) !== value),
    ...rows(state.run ? state.run.clocks : [], () => false));
  before = state;
};

/** Keeps the names above the lanes of the sequence chart visible. */
const keepNames = () => {
  const [box, names] = [byId("sequence"), document.querySelector("#sequence .heads")];
  if (names) names.setAttribute("transform", `translate(0 ${box.scrollTop})`);
};
byId("sequence").addEventListener("scroll", keepNames);

const showRun = () => {
  const run = state.run;
  complain(run ? "" : "no run has the chosen delays; the transitions are enabled with other delays");
  const steps = [{ title: "initial state", edges: [] }, ...state.steps];
  const items = steps.map(({ title, edges }, position) => {
    const item = button(undefined, () => goTo(position));
    if (position === path.length) item.setAttribute("aria-current", "step");
    item.append(make("span", title));
    item.title = edges.join("\n");
    if (run) item.append(make("span", `at time ${run.dates[position]}`, "hint"));
    return listed(item);
  });
  if (broken && broken.position === path.length) {
    const item = make("li", undefined, "broken");
    item.append(make("span", broken.text), make("span", broken.why, "why"));
    items.push(item);
  }
  knowTitles(path, state.steps.map(({ title }) => title));
  ahead.slice(0, MOST_TITLES).forEach((_, position) => {
    const to = path.length + position + 1;
    const name = titles.get([...path, ...ahead.slice(0, position + 1)].join("."));
    const rest = listed(button(name || `step ${to}`, () => goTo(to)));
    rest.className = "ahead";
    items.push(rest);
  });
  byId("run").replaceChildren(...items);
  const here = byId("run").querySelector("[aria-current]");
  if (here) follow(byId("run"), here);
  byId("sequence").replaceChildren(...(run && run.sequence ? [drawing(run.sequence)] : []));
  byId("sequence").scrollTop = byId("sequence").scrollHeight;
  keepNames();
  byId("time").replaceChildren(...(run && run.gantt ? [drawing(run.gantt)] : [make("p", "No time passes in this run.", "hint")]));
  const end = run ? `, at time ${run.dates[path.length]}` : "";
  byId("where").textContent = path.length === 0 ? "in the initial state" : `after ${path.length} transition${path.length === 1 ? "" : "s"}${end}`;
  byId("back").disabled = byId("restart").disabled = path.length === 0;
  byId("forward").disabled = ahead.length === 0;
  byId("random").disabled = !state.choices.some((choice) => !choice.failure);
  byId("play").disabled = playing === null && byId("random").disabled;
  byId("save").disabled = !run;
};

const showZone = () => {
  byId("zone-picture").hidden = state.clocks.length < 2;
  if (state.clocks.length < 2) return;
  const chosen = clocks && clocks.every((clock) => state.clocks.includes(clock)) ? clocks : state.clocks.slice(0, 2);
  ["right", "up"].forEach((id, position) => {
    byId(id).replaceChildren(...state.clocks.map((clock) => make("option", clock)));
    byId(id).value = chosen[position];
  });
  byId("picture").replaceChildren(...(state.picture ? [drawing(state.picture)] : []));
};

const showSource = () => {
  const lines = byId("source").children;
  for (const line of lines) line.className = "";
  const mark = (edges, kind) => edges.map((edge) => lines[edge.line - 1]).filter((line) => line).map((line) => {
    line.classList.add(kind);
    return line;
  });
  for (const choice of state.choices) mark(choice.edges, "next");
  const [first] = mark(state.taken, "now");
  if (first && !byId("panel-source").hidden) follow(byId("source"), first);
};

const tabs = [...document.querySelectorAll("[role=tab]")];
const openTab = (tab) => {
  for (const other of tabs) {
    const isOpen = other === tab;
    other.setAttribute("aria-selected", String(isOpen));
    other.tabIndex = isOpen ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = !isOpen;
  }
  if (state) {
    showSource();
    showGraph();
  }
};
tabs.forEach((tab, position) => {
  tab.addEventListener("click", () => openTab(tab));
  tab.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    event.stopPropagation();
    const next = tabs[(position + move + tabs.length) % tabs.length];
    next.focus();
    openTab(next);
  });
});

let graph = null;
let isDrawing = false;
let chosen = null;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Marks the states of the graph that the current state may belong to. */
const markGraph = () => {
  if (!graph) return;
  graph.nodes.forEach((node, number) => {
    const isHere = same(node.locations, state.locations) && same(node.variables, state.variables);
    graph.boxes.get(number).classList.toggle("here", isHere);
  });
};

const choose = (number) => {
  if (chosen !== null) graph.boxes.get(chosen).classList.remove("chosen");
  chosen = number;
  graph.boxes.get(number).classList.add("chosen");
  byId("chosen").textContent = `${number}: ${graph.nodes[number].text}`;
  byId("go").disabled = false;
};

/** Scales the graph; the point in the middle of the box stays there. */
const zoom = (factor) => {
  if (!graph) return;
  const box = byId("graph");
  const [x, y] = [(box.scrollLeft + box.clientWidth / 2) / graph.scale, (box.scrollTop + box.clientHeight / 2) / graph.scale];
  graph.scale = Math.min(Math.max(graph.scale * factor, 0.1), 4);
  graph.svg.setAttribute("width", String(graph.width * graph.scale));
  graph.svg.setAttribute("height", String(graph.height * graph.scale));
  box.scrollLeft = x * graph.scale - box.clientWidth / 2;
  box.scrollTop = y * graph.scale - box.clientHeight / 2;
};
const fit = () => {
  if (!graph) return;
  const box = byId("graph");
  zoom(Math.min(box.clientWidth / graph.width, box.clientHeight / graph.height, 1) / graph.scale);
};
byId("zoom-in").addEventListener("click", () => zoom(1.25));
byId("zoom-out").addEventListener("click", () => zoom(0.8));
byId("fit").addEventListener("click", fit);
byId("graph").addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.1 : 0.9);
}, { passive: false });
byId("graph").addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !graph || (event.target instanceof Element && event.target.closest("[data-n]"))) return;
  const box = byId("graph");
  const [x, y, left, top] = [event.clientX, event.clientY, box.scrollLeft, box.scrollTop];
  const move = (to) => {
    box.scrollLeft = left + x - to.clientX;
    box.scrollTop = top + y - to.clientY;
  };
  box.setPointerCapture(event.pointerId);
  box.addEventListener("pointermove", move);
  box.addEventListener("pointerup", () => box.removeEventListener("pointermove", move), { once: true });
});
byId("filter").addEventListener("input", () => {
  if (!graph) return;
  const text = byId("filter").value.trim();
  let count = 0;
  graph.nodes.forEach((node, number) => {
    const isShown = node.text.includes(text);
    count += isShown ? 1 : 0;
    graph.boxes.get(number).classList.toggle("dim", !isShown);
  });
  byId("graph-about").textContent = text === "" ? graph.about : `${count} of ${graph.nodes.length} states contain this text`;
});

/** Draws the first states of the zone graph. */
const drawGraph = async (most) => {
  byId("graph-about").textContent = "exploring";
  isDrawing = true;
  try {
    const { picture, nodes, total, about } = await (await post("/api/graph", { most })).json();
    const svg = drawing(picture);
    const boxes = new Map();
    for (const box of svg.querySelectorAll("[data-n]")) {
      const number = Number(box.getAttribute("data-n"));
      boxes.set(number, box);
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "button");
      box.addEventListener("click", () => choose(number));
      box.addEventListener("keydown", (event) => {
        if (event.key === "Enter") choose(number);
      });
    }
    // Its boxes are buttons, which the role of an image would hide.
    svg.setAttribute("role", "group");
    const { width, height } = svg.viewBox.baseVal;
    graph = { nodes, boxes, svg, width, height, about: `${about}. Boxes show what changed.`, scale: 1 };
    byId("more-states").hidden = nodes.length >= total;
    chosen = null;
    byId("graph").replaceChildren(svg);
    for (const id of ["fit", "zoom-in", "zoom-out"]) byId(id).disabled = false;
    byId("graph-about").textContent = graph.about;
    byId("chosen").textContent = "";
    byId("go").disabled = true;
    if (state) markGraph();
    // The current state is in the middle, or else the initial one, which is at the left side.
    const start = (svg.querySelector(".here") || boxes.get(0)).getBoundingClientRect();
    const frame = byId("graph").getBoundingClientRect();
    byId("graph").scrollLeft += start.left - frame.left - frame.width / 3;
    byId("graph").scrollTop += start.top - frame.top - (frame.height - start.height) / 2;
  } catch (error) {
    byId("graph-about").textContent = "error: " + error.message;
  }
  isDrawing = false;
};
/** Draws the graph when its panel is opened, and again if the model has changed. */
const showGraph = () => {
  if (!graph && !isDrawing && !byId("panel-graph").hidden) drawGraph(40);
};
byId("more-states").addEventListener("click", () => drawGraph(graph.nodes.length * 3));
byId("go").addEventListener("click", async () => {
  try {
    const found = await (await post("/api/path", { node: chosen })).json();
    keep("before going to a state of the zone graph");
    path = found.path;
    ahead = [];
    delays = [];
    await refresh();
  } catch (error) {
    complain(error.message);
  }
});

/** Keeps the current trace in the list of traces, if it has steps. */
const keep = (why) => {
  if (path.length + ahead.length === 0) return;
  const run = { why, path: [...path, ...ahead], delays };
  kept = [run, ...kept.filter((other) => !same(other.path, run.path))].slice(0, 12);
  showKept();
};
const showKept = () => {
  byId("kept").replaceChildren(...kept.map((run, number) => listed(button(`${run.path.length} transition${run.path.length === 1 ? "" : "s"}, ${run.why}`, () => {
    kept.splice(number, 1);
    keep("kept");
    path = run.path;
    ahead = [];
    delays = run.delays;
    return refresh();
  }))));
};

/** Asks for the current state and shows it. */
const refresh = async () => {
  hidePick();
  try {
    const response = await post("/api/state", { path, delays: delays.slice(0, path.length + 1), clocks });
    state = await response.json();
  } catch (error) {
    complain(error.message);
    return;
  }
  remember();
  showMarks();
  showChoices();
  showDelay();
  showValues();
  showRun();
  // The layout was computed to show the current step of the trace.
  scrollUp();
  showZone();
  showSource();
  showKept();
  markGraph();
  showGraph();
};

const take = (number) => {
  broken = null;
  delays = delays.slice(0, path.length + 1);
  while (delays.length < path.length + 1) delays.push(null);
  // The step that was undone is taken again; any other step begins a new branch.
  if (ahead[0] === number) ahead.shift();
  else {
    if (ahead.length > 0) keep("before another branch");
    ahead = [];
  }
  path.push(number);
  return refresh();
};

const goTo = (position) => {
  const all = [...path, ...ahead];
  path = all.slice(0, position);
  ahead = all.slice(position);
  return refresh();
};
const back = () => (path.length === 0 ? undefined : goTo(path.length - 1));
const forward = () => (ahead.length === 0 ? undefined : goTo(path.length + 1));
const restart = () => (path.length === 0 ? undefined : goTo(0));
/** Random numbers that depend on the seed and the position in the trace only. */
const randomAt = (seed, position) => {
  let value = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(position + 1, 0xc2b2ae35)) | 0;
  value = Math.imul(value ^ (value >>> 15), value | 1);
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
  return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
};
const random = () => {
  const open = state ? state.choices.map((choice, number) => ({ choice, number })).filter(({ choice }) => !choice.failure) : [];
  const seed = Number(byId("seed").value) | 0;
  if (open.length === 0) return undefined;
  return take(open[Math.floor(randomAt(seed, path.length) * open.length)].number);
};
let playing = null;
const stopPlaying = () => {
  clearTimeout(playing);
  playing = null;
  byId("play").setAttribute("aria-pressed", "false");
  byId("play").textContent = "Play";
  byId("play").disabled = byId("random").disabled;
};
const play = async () => {
  const length = path.length;
  await random();
  if (playing === null || path.length === length || path.length >= 1000) stopPlaying();
  else playing = setTimeout(play, 600);
};
const togglePlaying = () => {
  if (playing !== null) return stopPlaying();
  byId("play").setAttribute("aria-pressed", "true");
  byId("play").textContent = "Stop";
  playing = setTimeout(play, 0);
  return undefined;
};
byId("play").addEventListener("click", togglePlaying);

byId("back").addEventListener("click", back);
byId("forward").addEventListener("click", forward);
byId("restart").addEventListener("click", restart);
byId("random").addEventListener("click", random);
byId("instances").addEventListener("change", () => {
  showFigures();
  showMarks();
});
const wait = (value) => {
  while (delays.length <= path.length) delays.push(null);
  delays[path.length] = value;
  return refresh();
};
byId("delay").addEventListener("input", () => {
  byId("delay-exact").value = byId("delay").value;
});
byId("delay").addEventListener("change", () => wait(byId("delay").value));
byId("delay-exact").addEventListener("change", () => {
  const text = byId("delay-exact").value;
  if (text.trim() === "") return wait(null);
  const fraction = fractionOf(text);
  if (fraction !== null) return wait(fraction);
  complain("a delay is a number such as 3, 1.5 or 7/2");
  return undefined;
});
byId("any-delay").addEventListener("click", () => wait(null));
for (const id of ["right", "up"]) {
  byId(id).addEventListener("change", () => {
    clocks = [byId("right").value, byId("up").value];
    return refresh();
  });
}
byId("link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("link").textContent = "Copied";
  } catch {
    byId("link").textContent = "See the address bar";
  }
  setTimeout(() => {
    byId("link").textContent = "Copy link";
  }, 2000);
});
byId("keys").addEventListener("click", () => {
  byId("help").hidden = !byId("help").hidden;
  byId("keys").setAttribute("aria-expanded", String(!byId("help").hidden));
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !state) return;
  const target = event.target;
  const isField = target instanceof Element && target.closest("input, select, textarea, dialog, [role=tab]");
  if (isField) return;
  const isButton = target instanceof Element && target.closest("button, summary, [role=button]");
  const actions = {
    ArrowLeft: back, u: back, ArrowRight: forward, r: forward, Home: restart,
    "/": () => byId("query").focus(), d: () => byId("delay").focus(), "?": () => byId("keys").click(), p: togglePlaying, e: () => byId("edit-mode").click(),
  };
  if (event.key === " " && !isButton) {
    event.preventDefault();
    random();
    return;
  }
  const inBox = target instanceof Element && target.closest("[tabindex='0'].scroll");
  if (inBox && event.key.length > 1) return;
  const number = Number(event.key);
  if (number >= 1 && number <= 9) {
    const choice = byId("choices").querySelectorAll("button")[number - 1];
    if (choice && !choice.disabled) choice.click();
  } else if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

/** Reads the model again if its file has changed, and keeps as much of the trace as still works. */
let version = null;
let isWatching = false;
const watchNow = async () => {
  try {
    const now = await (await post("/api/watch", {})).json();
    if (version === null) version = now.version;
    if (now.problem) {
      version = now.version;
      complain("the file changed and has errors: " + now.problem);
    } else if (now.version !== version) {
      const [all, texts, old] = [[...path, ...ahead], state ? state.steps : [], version];
      version = now.version;
      model = await (await post("/api/model", {})).json();
      graph = null;
      byId("graph").replaceChildren();
      forgetAnswers();
      titles.clear();
      before = null;
      moves.clear();
      showMoves();
      showModel();
      const position = path.length;
      const found = await (await post("/api/follow", { version: old, path: all })).json();
      knowTitles(found.path, found.titles);
      path = found.path.slice(0, position);
      ahead = found.path.slice(position);
      const first = found.path.length;
      broken = found.obstacle ? { position: first, text: texts[first] ? texts[first].title : `step ${first + 1}`, why: found.obstacle } : null;
      if (broken && first < position) ahead = [];
      await refresh();
      if (broken) complain(`the file changed: step ${first + 1} of the trace is not possible any more: ${broken.why}`);
    } else if (byId("problem").textContent.startsWith("the file changed and has errors")) complain("");
  } catch {
    // The server has ended; the page stays as it is.
  }
};
const watch = async () => {
  if (!isWatching) {
    isWatching = true;
    await watchNow();
    isWatching = false;
  }
  setTimeout(watch, 1000);
};

const begin = async () => {
  restore();
  try {
    model = await (await post("/api/model", {})).json();
  } catch (error) {
    complain(error.message);
    return;
  }
  showModel();
  if (model.refused) {
    complain(model.refused);
    return;
  }
  await refresh();
  if (!state && path.length > 0) {
    complain("the state of this link does not exist in the model");
    path = [];
    delays = [];
    await refresh();
  }
  watch();
};
