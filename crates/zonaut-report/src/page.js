"use strict";
(() => {
  /**
   * The data of the run.
   * @typedef {{
   *   processes: {name: string, template: number, locations: string[]}[],
   *   start: {locations: number[], variables: number[]},
   *   steps: {title: string, edges: number[], moves: number[][], changes: number[][]}[],
   *   edges: {process: number, parts: number[], text: string, labels: string[][]}[],
   *   dates: string[], times: number[], delays: string[],
   *   variables: string[], clocks: string[], values: string[], lines: number[][],
   *   fails: boolean, then: string | null, zones: {count: number, states: string[], leaving: string[]} | null
   * }} Run
   */
  const source = document.getElementById("run");
  if (!source) return;
  /** @type {Run} */
  const run = JSON.parse(source.textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const last = run.steps.length;

  /** Makes an element with attributes and, if it is given, a text. */
  const make = (name, attributes, text) => {
    const svg = ["path", "polygon", "circle", "rect", "text", "g"].includes(name);
    const element = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
  };

  /** The locations of all processes and the values of all variables, in each state. */
  const states = [{ locations: run.start.locations, variables: run.start.variables }];
  for (const step of run.steps) {
    const before = states[states.length - 1];
    const locations = before.locations.slice();
    for (const [process, location] of step.moves) locations[process] = location;
    let variables = before.variables;
    if (step.changes.length > 0) {
      variables = variables.slice();
      for (const [variable, value] of step.changes) variables[variable] = value;
    }
    states.push({ locations, variables });
  }

  /** One drawing for each process, copied from that of its template. */
  const figures = run.processes.map((process) => {
    const original = document.querySelector(`figure[data-t="${process.template}"]`);
    if (!original) return null;
    const figure = original.cloneNode(true);
    figure.removeAttribute("data-t");
    const caption = figure.querySelector("figcaption");
    const here = make("span", {});
    caption.textContent = process.name + " ";
    caption.append(here);
    const drawing = figure.querySelector("svg");
    drawing.setAttribute("aria-label", "automaton of " + process.name);
    figure.querySelector(".scroll").setAttribute("aria-label", "automaton of " + process.name);
    const groups = (kind) => {
      const found = new Map();
      for (const group of drawing.querySelectorAll(`[data-${kind}]`)) found.set(Number(group.getAttribute("data-" + kind)), group);
      return found;
    };
    return { figure, box: figure.querySelector(".scroll"), here, locations: groups("l"), edges: groups("e") };
  });
  // Processes that never move are folded; where none moves, the first one of each template is shown.
  const moving = new Set(run.steps.flatMap((step) => step.edges.map((number) => run.edges[number].process)));
  const isFirst = (process) => run.processes.findIndex((other) => other.template === run.processes[process].template) === process;
  const isShown = (process) => (moving.size === 0 ? isFirst(process) : moving.has(process));
  byId("automata").replaceChildren(...figures.filter((it, process) => it && isShown(process)).map((it) => it.figure));
  const still = figures.filter((it, process) => it && !isShown(process));
  if (still.length > 0) {
    const details = make("details", { class: "still" });
    const more = moving.size === 0 ? "more " : "";
    details.append(make("summary", {}, still.length === 1 ? `1 ${more}process does not move` : `${still.length} ${more}processes do not move`));
    const box = make("div", { class: "automata" });
    box.append(...still.map((it) => it.figure));
    details.append(box);
    byId("automata").after(details);
  }

  /** A cursor in every chart over time or by step. */
  const cursors = [...document.querySelectorAll("svg[data-left]")].map((chart) => {
    const { width, height } = chart.viewBox.baseVal;
    const cursor = make("rect", { class: "cursor", y: 0, height: height - 24 });
    const [left, right] = ["data-left", "data-right"].map((name) => Number(chart.getAttribute(name)));
    // The names of the lanes stay visible while the chart scrolls below them.
    const names = make("g", {});
    names.append(make("rect", { class: "page", width: left - 8, height }), ...chart.querySelectorAll(".lane"));
    chart.append(names, cursor);
    const box = chart.closest(".scroll");
    box.addEventListener("scroll", () => {
      names.setAttribute("transform", `translate(${(box.scrollLeft * width) / chart.clientWidth} 0)`);
    });
    const times = chart.hasAttribute("data-by-step") ? run.times.map((_, position) => position) : run.times;
    const end = times[times.length - 1] || 1;
    return { box, names, cursor, x: (position) => left + ((right - left) * times[position]) / end };
  });

  /** The list of steps; a click shows the state behind a step. */
  const items = [{ title: "start", edges: [] }, ...run.steps].map((step, position) => {
    const texts = step.edges.map((number) => run.edges[number].text);
    const button = make("button", { type: "button" });
    button.append(
      make("span", { title: texts.join("; ") }, step.title),
      " ",
      make("span", { class: "hint" }, `at ${run.dates[position]}`),
    );
    button.addEventListener("click", () => show(position));
    return button;
  });
  byId("trace").replaceChildren(...items.map((button) => {
    const item = make("li", {});
    item.append(button);
    return item;
  }));

  const rows = new Map();
  for (const row of document.querySelectorAll("[data-s]")) rows.set(Number(row.getAttribute("data-s")), row);

  const table = (id, names) => {
    const body = byId(id);
    if (!body) return [];
    return names.map((name) => {
      const line = make("tr", {});
      const cell = make("td", {});
      line.append(make("td", {}, name), cell);
      body.append(line);
      return { line, cell };
    });
  };
  const variables = table("variables", run.variables);
  const clocks = table("clocks", run.clocks);

  let marked = [];
  const mark = (element, name) => {
    if (!element) return;
    element.classList.add(name);
    marked.push([element, name]);
  };

  let current = 0;
  const slider = byId("slider");

  /** Shows the state at `position`. */
  const show = (position) => {
    current = Math.min(Math.max(position, 0), last);
    for (const [element, name] of marked) element.classList.remove(name);
    marked = [];
    const state = states[current];
    const step = current > 0 ? run.steps[current - 1] : null;
    figures.forEach((it, process) => {
      if (!it) return;
      mark(it.locations.get(state.locations[process]), "here");
      it.here.textContent = "in " + (run.processes[process].locations[state.locations[process]] || "an unnamed location");
    });
    for (const number of step ? step.edges : []) {
      const edge = run.edges[number];
      for (const part of edge.parts) mark(figures[edge.process] && figures[edge.process].edges.get(part), "taken");
    }
    const item = items[current];
    for (const other of byId("trace").querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    item.setAttribute("aria-current", "step");
    const list = byId("trace");
    const [inner, outer] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - outer.height / 3;
    showStep(step);
    showTables(step, state);
    for (const { cursor, x } of cursors) {
      const left = x(current);
      cursor.setAttribute("x", String(left));
      cursor.setAttribute("width", String(Math.max(x(current + 1) - left, 1.5)));
    }
    const row = rows.get(current);
    mark(row, "now");
    showZone();
    if (row) reveal(row);
    figures.forEach((it, process) => it && follow(it.box, it.locations.get(state.locations[process])));
    for (const { box, names, cursor } of cursors) follow(box, cursor, names.getBoundingClientRect().width);
    slider.value = String(current);
    byId("first").disabled = byId("back").disabled = current === 0;
    byId("next").disabled = byId("last").disabled = current === last;
  };

  // The names above the lanes stay visible.
  byId("sequence").addEventListener("scroll", ({ target }) => {
    target.querySelector(".heads").setAttribute("transform", `translate(0 ${target.scrollTop})`);
  });

  /** Scrolls the sequence chart, and nothing else, until a row is visible. */
  const reveal = (row) => {
    const box = byId("sequence");
    const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 8) {
      box.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  };

  /**
   * Scrolls a wide box horizontally, and nothing else, until a part is visible right of the covered
   * area.
   */
  const follow = (box, part, covered = 0) => {
    if (!part || box.scrollWidth <= box.clientWidth) return;
    const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
    const right = Math.min(inner.right, inner.left + outer.width / 3);
    if (inner.left < outer.left + covered || right > outer.right) {
      box.scrollLeft += inner.left - outer.left - Math.max(covered + 8, outer.width / 3);
    }
  };

  const showStep = (step) => {
    const isEnd = current === last && !run.then;
    const delay = run.delays[current] === "0" ? "" : `${isEnd ? " after a" : ", then a"} delay of ${run.delays[current]}`;
    const fails = run.fails && current === last ? ", this transition fails at run time" : "";
    const where = current === 0 ? "start" : `step ${current} of ${last}`;
    const then = current === last && run.then ? "; then " + run.then : "";
    byId("where").textContent = `${where}, at time ${run.dates[current]}${isEnd ? ": end of the run" : ""}${delay}${fails}${then}`;
    slider.setAttribute("aria-valuetext", where);
    const list = byId("step");
    list.replaceChildren();
    for (const number of step ? step.edges : []) {
      const edge = run.edges[number];
      const line = make("li", {}, edge.text);
      for (const [kind, label] of edge.labels) {
        line.append(" ", make("span", { class: kind }, label));
      }
      list.append(line);
    }
    if (!step) list.append(make("li", {}, "initial state"));
  };

  const showTables = (step, state) => {
    const changed = new Set((step ? step.changes : []).map(([variable]) => variable));
    variables.forEach(({ line, cell }, variable) => {
      cell.textContent = String(state.variables[variable]);
      line.classList.toggle("changed", changed.has(variable));
    });
    const values = run.values[current].split(" ");
    clocks.forEach(({ cell }, clock) => {
      cell.textContent = values[clock];
    });
  };

  /** The bounds of two clocks in a zone: rows of a matrix of numbers, twice the value, odd if weak. */
  const halfPlanes = (text, x, y) => {
    const dim = run.zones.count + 1;
    const entries = text.split(",");
    const half = (row, column, a, b) => {
      const entry = entries[row * dim + column];
      if (entry === "") return [];
      const bound = Number(entry);
      return [{ a, b, c: Math.floor(bound / 2), side: bound % 2 === 0 ? "side strict" : "side" }];
    };
    return [
      ...half(x, 0, 1, 0), ...half(0, x, -1, 0), ...half(y, 0, 0, 1),
      ...half(0, y, 0, -1), ...half(x, y, 1, -1), ...half(y, x, -1, 1),
    ];
  };

  /** The intersection of a convex polygon, whose corners carry the side to the next one, with a half-plane. */
  const clipped = (polygon, half) => {
    const excess = (p) => half.a * p.x + half.b * p.y - half.c;
    const left = [];
    polygon.forEach((corner, index) => {
      const other = polygon[(index + 1) % polygon.length];
      const [here, there] = [excess(corner), excess(other)];
      const crossing = (side) => {
        const share = here / (here - there);
        return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share, side };
      };
      const isIn = here <= 1e-9;
      const otherIn = there <= 1e-9;
      if (isIn && otherIn) {
        const along = Math.abs(here) < 1e-9 && Math.abs(there) < 1e-9;
        const side = along && corner.side !== "side strict" ? half.side : corner.side;
        left.push({ x: corner.x, y: corner.y, side });
      } else if (isIn && Math.abs(here) <= 1e-9) {
        left.push({ x: corner.x, y: corner.y, side: half.side });
      } else if (isIn) {
        left.push(corner, crossing(half.side));
      } else if (otherIn && Math.abs(there) > 1e-9) {
        left.push(crossing(corner.side));
      }
    });
    return left;
  };

  const roundStep = (end) => {
    let step = 10 ** Math.floor(Math.log10(end / 10));
    for (const factor of [2, 2.5, 2]) if (end / step > 10) step *= factor;
    return step;
  };

  /** The extent of the plane in which the zones of two clocks are drawn, the same for all states. */
  const sizes = new Map();
  const zoneSize = (x, y) => {
    const key = `${x} ${y}`;
    if (!sizes.has(key)) {
      let most = 2.5;
      run.zones.states.forEach((text, position) => {
        const stay = run.times[position + 1] - run.times[position];
        for (const half of halfPlanes(text, x, y)) most = Math.max(most, Math.abs(half.c));
        for (const clock of [x, y]) most = Math.max(most, run.lines[position][clock - 1] + stay);
      });
      sizes.set(key, most * 1.2 + 1);
    }
    return sizes.get(key);
  };

  const [PLOT, LEFT, TOP] = [300, 56, 28];
  const showZone = () => {
    const box = byId("zone");
    if (!box || !run.zones) return;
    const [x, y] = ["right", "up"].map((id) => Number(byId(id).value));
    const planes = halfPlanes(run.zones.states[current], x, y);
    const value = (clock) => run.lines[current][clock - 1];
    const stay = run.times[current + 1] - run.times[current];
    const ends = [0, stay].map((delay) => [value(x) + delay, value(y) + delay]);
    const size = zoneSize(x, y);
    const at = (px, py) => [LEFT + (px * PLOT) / size, TOP + PLOT - (py * PLOT) / size];
    const path = (from, to) => `M${at(...from).join(" ")}L${at(...to).join(" ")}`;
    const parts = [];
    // Bounds of clocks are integers: finer ticks would be noise.
    for (let tick = 0; tick <= size; tick += Math.max(roundStep(size), 1)) {
      parts.push(make("path", { class: "grid", d: path([tick, 0], [tick, size]) + path([0, tick], [size, tick]) }));
      const [below, beside] = [at(tick, 0), at(0, tick)];
      const shown = String(Number(tick.toFixed(4)));
      parts.push(make("text", { class: "mid note", x: below[0], y: below[1] + 14 }, shown));
      parts.push(make("text", { class: "end note", x: beside[0] - 6, y: beside[1] + 4 }, shown));
    }
    const window = [[0, 0], [size, 0], [size, size], [0, size]].map(([px, py]) => ({ x: px, y: py, side: "" }));
    const area = (halves) => halves.reduce(clipped, window);
    const fill = (polygon, name) => make("polygon", { class: name, points: polygon.map((p) => at(p.x, p.y).join(",")).join(" ") });
    const zone = area(planes);
    parts.push(fill(zone, "area"));
    const leaving = run.zones.leaving[current];
    if (leaving) parts.push(fill(area(halfPlanes(leaving, x, y)), "leave"));
    zone.forEach((corner, index) => {
      const next = zone[(index + 1) % zone.length];
      if (corner.side) parts.push(make("path", { class: corner.side, d: path([corner.x, corner.y], [next.x, next.y]) }));
    });
    parts.push(make("path", { class: "way", d: path(...ends) }));
    const [cx, cy] = at(...ends[1]);
    parts.push(make("circle", { class: "stand", cx, cy, r: 4.5 }));
    parts.push(make("text", { class: "mid", x: LEFT + PLOT / 2, y: TOP + PLOT + 34 }, run.clocks[x - 1]));
    parts.push(make("text", { x: 6, y: TOP - 14 }, run.clocks[y - 1]));
    box.replaceChildren(...parts);
    box.setAttribute("aria-label", `zone of ${run.clocks[x - 1]} and ${run.clocks[y - 1]}`);
  };

  if (run.zones) {
    ["right", "up"].forEach((id, position) => {
      const select = byId(id);
      for (let clock = 1; clock <= run.zones.count; clock++) select.append(make("option", { value: clock }, run.clocks[clock - 1]));
      select.value = String(Math.min(position + 1, run.zones.count));
      select.addEventListener("change", showZone);
    });
  }
  slider.max = String(last);
  slider.addEventListener("input", () => show(Number(slider.value)));
  byId("first").addEventListener("click", () => show(0));
  byId("back").addEventListener("click", () => show(current - 1));
  byId("next").addEventListener("click", () => show(current + 1));
  byId("last").addEventListener("click", () => show(last));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target;
    if (target instanceof Element && target.closest("input, select, summary, [tabindex]")) return;
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;
  // A violation is at the end of its run; a witness is read from its start.
  show(document.body.classList.contains("violation") ? last : 0);
})();
