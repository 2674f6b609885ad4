// The page itself: reads the setting, draws the curves, says what they say.

const SVG = "http://www.w3.org/2000/svg";
const POINTS = 120;
const byId = (id) => document.getElementById(id);
const form = byId("controls"), chart = byId("chart");
const NAMES = ["n", "p", "k", "epsilon", "s", "lambda1", "lambda2", "beta", "block", "rate"];

// The slider of n is logarithmic, with two digits to each stop.
const stop = (position) => {
  const value = 10 ** (position / 100);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
};

function fieldsOf() {
  const axis = byId("axis"), asked = Number(byId("epsilon").value);
  if (asked > axis.value) axis.value = [...axis.options].map((one) => one.value).find((end) => end >= asked) ?? axis.value;
  const fields = { about: form.elements.about.value, believed: byId("believed").checked, axis: axis.value };
  for (const name of NAMES) fields[name] = byId(name).value;
  return fields;
}

function settleSliders(fields) {
  for (const name of NAMES) {
    const slider = byId(`${name}-slider`), value = Number(fields[name]);
    if (name === "epsilon") slider.max = fields.axis;
    if (name === "epsilon") slider.step = Number(fields.axis) / 200;
    if (Number.isFinite(value) && fields[name] !== "" && document.activeElement !== slider) {
      slider.value = name === "n" ? 100 * Math.log10(Math.max(1, value)) : value;
    }
    if (name === "n") slider.setAttribute("aria-valuetext", fields.n);
  }
}

// Without a belief, the block mass shown is that of the 0/1 records; what was typed comes back.
const believed = { beta: byId("beta").value, block: byId("block").value };
function showMass(fields) {
  const coin = { beta: String(Number((2 * Math.min(fields.p, 1 - fields.p)).toPrecision(6))), block: "2" };
  for (const name of ["beta", "block"]) {
    const box = byId(name), was = box.disabled;
    box.disabled = byId(`${name}-slider`).disabled = !fields.believed;
    if (fields.believed && was) box.value = believed[name];
    if (fields.believed) believed[name] = box.value;
    else box.value = coin[name] === "NaN" ? "" : coin[name];
    fields[name] = box.value;
    document.querySelector(`[data-name="${name}"]`).toggleAttribute("data-off", !fields.believed);
  }
}

function made(name, attributes, text = "") {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function element(name, text, kind = "") {
  const node = document.createElement(name);
  node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

// Draws the setting anew; returns how many curves there are.
function draw() {
  const fields = fieldsOf();
  document.body.dataset.about = fields.about;
  showMass(fields);
  settleSliders(fields);
  for (const name of NAMES) byId(name).removeAttribute("aria-invalid");
  try {
    if (DIFFERS.length) throw new Error(DIFFERS[0]);
    const plan = planned(fields);
    return show(plan, fields);
  } catch (error) {
    refuse(error);
    if (error instanceof Refused) {
      byId(error.field)?.setAttribute("aria-invalid", "true");
      return 0;
    }
    if (DIFFERS.length) return 0;
    throw error;
  }
}

function refuse(error) {
  const text = error.message;
  byId("problem").textContent = text;
  byId("problem").hidden = false;
  chart.replaceChildren();
  chart.setAttribute("hidden", "");
  byId("finding").textContent = "Nothing is drawn";
  byId("about").textContent = "";
  byId("values").hidden = true;
  tell("Nothing is drawn: " + text);
}

function show(plan, fields) {
  const end = Number(fields.axis), step = end / POINTS;
  const grid = Array.from({ length: POINTS + 1 }, (_, i) => whole(i * step));
  const here = ofRational(plan.epsilon);
  const curves = plan.readings.map((one) => ({
    ...one,
    points: one.values(grid).map((found, i) => ({ x: grid[i].hi, y: found.value ? upper(found.value) : null })),
    now: one.values([here])[0],
    note: one.note,
  }));
  byId("problem").hidden = true;
  byId("values").hidden = false;
  chart.removeAttribute("hidden");
  plot(curves, end, here.hi, plan.decades ?? 12);
  report(plan, curves);
  return curves.length;
}

// Curves on a logarithmic axis; what is 0 or less has no place there, and the table says so.
function plot(curves, end, here, most) {
  const width = chart.clientWidth || 640, height = chart.clientHeight || 360;
  const left = 52, right = width - 84, top = 12, bottom = height - 40;
  const seen = curves.flatMap((one) => one.points.map((point) => point.y)).filter((y) => y > 0);
  const least = seen.length ? Math.min(...seen) : 1;
  const decades = Math.min(most, Math.max(3, 3 * Math.ceil(-Math.log10(Math.max(least, 10 ** -most)) / 3)));
  const x = (value) => left + (value / end) * (right - left);
  const y = (value) => top + (Math.min(decades, Math.max(0, -Math.log10(value))) / decades) * (bottom - top);
  const parts = [];
  for (let d = 0; d <= decades; d += decades / 3) {
    parts.push(made("line", { class: "grid", x1: left, x2: right, y1: y(10 ** -d), y2: y(10 ** -d) }));
    const label = d === 0 ? "δ = 1" : `10⁻${String(d).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
    parts.push(made("text", { x: left - 6, y: y(10 ** -d) + 4, "text-anchor": "end" }, label));
  }
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    if (width < 420 && part % 0.5) continue;
    const label = String(Number((part * end).toPrecision(6)));
    parts.push(made("text", { x: x(part * end), y: bottom + 18, "text-anchor": "middle" }, label));
  }
  parts.push(made("text", { x: (left + right) / 2, y: bottom + 35, "text-anchor": "middle" }, "ε"));
  const floor = curves.find((one) => one.id === "floor")?.now.value;
  if (floor) {
    const edge = y(lower(floor));
    parts.push(made("rect", { class: "unreached", x: left, y: edge, width: right - left, height: bottom - edge }));
  }
  if (here <= end) parts.push(made("line", { class: "here", x1: x(here), x2: x(here), y1: top, y2: bottom }));
  const names = [];
  // The exact curve is solid and lies below the dashed ones, which it may equal.
  for (const one of [...curves].reverse()) {
    let path = "", pen = false, last = null;
    for (const point of one.points) {
      const drawn = point.y !== null && point.y > 0;
      // A curve ends where it leaves the axis: it is not drawn along its lower edge.
      const inside = drawn && -Math.log10(point.y) <= decades + 1e-9;
      if (inside || (drawn && pen)) {
        path += `${pen ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`;
        last = point;
      }
      pen = inside;
    }
    if (!last) continue;
    parts.push(made("path", { class: `curve ${one.id}`, d: path }));
    names.push({ id: one.id, x: x(last.x) + 5, y: y(last.y) + 4 });
    const now = one.now.value;
    if (now && here <= end && upper(now) > 0 && -Math.log10(upper(now)) <= decades) {
      parts.push(made("circle", { class: one.id, cx: x(here), cy: y(upper(now)), r: 4.5 }));
    }
  }
  names.sort((a, b) => a.y - b.y);
  names.forEach((name, i) => {
    for (const other of names.slice(0, i)) {
      if (Math.abs(other.x - name.x) < 70 && name.y < other.y + 15) name.y = other.y + 15;
    }
    parts.push(made("text", { class: `name ${name.id}`, x: name.x, y: name.y }, name.id));
  });
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart.replaceChildren(...parts);
}

function report(plan, curves) {
  const text = plan.epsilon.text;
  const value = (one) => (one.now.value ? shown(upper(one.now.value), 4, true) : null);
  const exact = curves.find((one) => one.id === "exact");
  const printed = curves.find((one) => one.id === "printed");
  const refuted = exact?.now.value && printed?.now.value && lower(exact.now.value) > upper(printed.now.value);
  const order = [...curves].reverse();
  const said = order.map((one) => {
    if (value(one) === null) return `${one.id} does not apply`;
    if (one.says) return one.says(one.now.value);
    return one === printed ? `printed ${value(one)}` : `${one.id} ≤ ${value(one)}`;
  });
  let finding = `δ at ε = ${text}: ${said.join(", ")}`;
  if (refuted) {
    finding = `At ε = ${text} the printed bound is refuted: it claims δ = ${value(printed)}, the exact value is ${value(exact)}`;
  }
  byId("finding").textContent = finding;
  byId("about").textContent = plan.about;
  byId("caption").textContent = `At ε = ${text}`;
  byId("rows").replaceChildren(...curves.map((one) => row(one, refuted)), ...Object.entries(plan.missing).map(absent));
  const commands = [...new Set(curves.map((one) => one.command))];
  byId("commands").replaceChildren(...commands.map(command));
  tell(finding);
}

function row(one, refuted) {
  const head = element("th", ""), cell = element("td", "");
  const mark = made("svg", { viewBox: "0 0 36 8", "aria-hidden": "true", class: one.id });
  mark.append(made("path", { d: "M0 4H36", class: one.id }));
  head.append(mark, one.label);
  const said = [];
  const found = one.now.value;
  if (!found) said.push(`Does not apply: ${one.now.why.join("; ")}.`);
  else {
    if (upper(found) < 0) said.push("Negative: no event can have it.");
    if (lower(found) >= 1) said.push("At least 1: it says nothing.");
    if (one.conditions.length) said.push(`Conditional on ${one.conditions.join("; ")}.`);
    if (one.note) said.push(one.note);
  }
  cell.append(said.join(" "));
  if (one.id === "printed" && refuted) cell.prepend(element("span", "Refuted: smaller than the exact value. ", "refuted"));
  return line(head, element("td", found ? shown(upper(found), 4, true) : "–", "number"), cell);
}

const absent = ([id, why]) => line(element("th", id), element("td", "–", "number"), element("td", why));

// A row of the table. Its roles are spelled out: on a narrow screen it is laid out as a grid.
function line(head, ...cells) {
  const whole = document.createElement("tr");
  head.scope = "row";
  whole.setAttribute("role", "row");
  head.setAttribute("role", "rowheader");
  for (const cell of cells) cell.setAttribute("role", "cell");
  whole.append(head, ...cells);
  return whole;
}

function command(text) {
  const line = element("div", "", "command"), code = element("code", text), button = element("button", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  });
  line.append(code, button);
  return line;
}

// A screen reader hears the finding once the hand is still; the address then holds the setting.
let telling = 0;
function tell(text) {
  clearTimeout(telling);
  telling = setTimeout(() => {
    byId("told").textContent = text;
    const { believed: typed, ...fields } = fieldsOf();
    if (typed) fields.believed = "1";
    history.replaceState(null, "", `#${new URLSearchParams(fields)}`);
  }, 500);
}

// Says what came of the comparison; returns why nothing may be drawn.
function verdict({ count, differing }) {
  if (!differing.length) {
    byId("checked").textContent = `When it was opened, the page compared ${count} values with certified ones: `
      + "none differs by more than its float error.";
  }
  return differing.map((one) => `This browser computes another value than kproof certified (${one.id}, ${one.command}).`);
}

for (const name of NAMES) {
  byId(`${name}-slider`).addEventListener("input", (event) => {
    const value = Number(event.target.value);
    byId(name).value = name === "n" ? String(stop(value)) : String(Number(value.toPrecision(6)));
    schedule();
  });
  byId(name).addEventListener("input", schedule);
}
for (const id of ["believed", "axis"]) byId(id).addEventListener("change", schedule);
for (const radio of form.elements.about) radio.addEventListener("change", schedule);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("resize", schedule);
addEventListener("beforeprint", draw);

let scheduled = false;
function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}

const STARTING = { ...fieldsOf(), believed: false };
const DIFFERS = verdict(compared(STARTING));
const address = new URLSearchParams(location.hash.slice(1));
for (const name of [...NAMES, "axis"]) if (address.has(name)) byId(name).value = address.get(name);
if (!byId("axis").value) byId("axis").value = "0.5";
if (address.has("about")) form.elements.about.value = address.get("about");
byId("believed").checked = address.has("believed");
for (const name of ["beta", "block"]) {
  believed[name] = byId(name).value;
  byId(name).disabled = !address.has("believed");
}
draw();
