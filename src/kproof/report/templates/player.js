// Plays runs: what a frame leaves out is as it was. Words of users are only ever text.
(() => {
  const runs = JSON.parse(document.getElementById("runs-data").textContent);
  const player = document.getElementById("player");
  const part = (name) => player.querySelector(`[data-part="${name}"]`);
  const [choice, slider, play] = ["run", "slider", "play"].map(part);
  const pace = 1200;
  let run = runs[0];
  let at = 0;
  let timer = null;

  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  // The places, classes and disclosures once all frames up to one have happened.
  const state = (until) => {
    const whole = { places: {}, classes: {}, disclosed: {} };
    for (const frame of run.frames.slice(0, until + 1)) {
      Object.assign(whole.places, frame.places);
      Object.assign(whole.classes, frame.classes);
      for (const [at, what] of Object.entries(frame.disclosed || {}))
        whole.disclosed[at] = [...(whole.disclosed[at] || []), what];
    }
    return whole;
  };

  const show = (to) => {
    at = Math.max(0, Math.min(to, run.frames.length - 1));
    const frame = run.frames[at];
    const { places, classes, disclosed } = state(at);
    part("title").textContent = `${frame.title} (${at} of ${run.frames.length - 1})`;
    let why = frame.why || "";
    if (at === run.frames.length - 1)
      why += run.left_out
        ? `${why && "; "}${run.left_out} more steps are left out here`
        : `${why && "; "}end of the run: ${run.end}`;
    part("why").textContent = why;
    part("places").replaceChildren(
      ...Object.entries(places).map(([name, tokens]) => {
        const row = element("tr", "", frame.places && name in frame.places && at ? "changed" : "");
        row.append(element("th", name), element("td", tokens));
        row.firstChild.scope = "row";
        return row;
      }),
    );
    part("classes").replaceChildren(
      ...Object.entries(classes).map(([number, [values, beside, passes]]) => {
        const changed = at && frame.classes && number in frame.classes;
        const row = element("tr", "", changed ? "changed" : "");
        row.append(element("th", number), element("td", values), element("td", beside));
        row.firstChild.scope = "row";
        if (!passes) row.lastChild.className = "short";
        row.append(element("td", (disclosed[number] || []).join("; "), "disclosed"));
        return row;
      }),
    );
    for (const side of [part("places-table"), part("classes-table")]) {
      const changed = side.querySelector(".changed");
      if (changed) side.scrollTop = changed.offsetTop - side.clientHeight / 2;
    }
    slider.max = run.frames.length - 1;
    slider.value = at;
    slider.setAttribute("aria-valuetext", frame.title);
    part("back").disabled = at === 0;
    part("step").disabled = at === run.frames.length - 1;
    if (at === run.frames.length - 1) stop();
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  const toggle = () => {
    if (timer) return stop();
    if (at === run.frames.length - 1) show(0);
    timer = setInterval(() => show(at + 1), pace);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
  };
  const go = (to) => {
    stop();
    show(to);
  };

  const keys = {
    ArrowRight: () => go(at + 1),
    ArrowLeft: () => go(at - 1),
    Home: () => go(0),
    End: () => go(run.frames.length - 1),
    " ": toggle,
  };
  player.addEventListener("keydown", (event) => {
    // A button takes the space bar and a list its arrows for themselves.
    const own = event.target === choice || (event.key === " " && event.target.tagName === "BUTTON");
    if (own || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  part("back").addEventListener("click", () => go(at - 1));
  part("step").addEventListener("click", () => go(at + 1));
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => go(Number(slider.value)));
  choice.append(...runs.map((one) => element("option", `run ${one.number}`)));
  choice.addEventListener("change", () => {
    run = runs[choice.selectedIndex];
    go(0);
  });
  part("places-table").hidden = !runs.some((one) => one.frames[0].places);
  part("classes-table").hidden = !runs.some((one) => one.frames[0].classes);
  player.hidden = false;
  show(0);
})();
