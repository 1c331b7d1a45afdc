// A run inside the studio. The page around this one sends slopes by a quantity and its change while a slider moves; then plots and
// mechanism show nearby motions, to first order. Points of the mechanism are dragged at the start: this page sends the way of a
// point, and gets back where the whole mechanism goes.
(function () {
  "use strict";
  var studio = window.parent;
  if (studio === window) return;
  var holder = document.querySelector(".animation");
  var player = holder && holder.player;
  var slopes = null, ahead = null, moved = null, grips = [], stage = null, toggle = null, drag = null;
  // Curves whose change is larger than this part of the height of a plot are cut: slopes say nothing there.
  var REACH = 0.5;

  function tell(message) { studio.postMessage(message, "*"); }

  // ---- nearby motions

  function curve(plot, c) {
    var out = "", open = false, reach = REACH * (plot.area[3] - plot.area[1]);
    c.points.forEach(function (p, k) {
      var dx = ahead * c.slopes[k][0], dy = ahead * c.slopes[k][1];
      if (!(Math.hypot(dx, dy) <= reach)) {
        open = false;
        return;
      }
      out += (open ? "L" : "M") + Math.round(10 * (p[0] + dx)) + " " + Math.round(10 * (p[1] + dy));
      open = true;
    });
    return out;
  }

  function make(parent, name, attributes) {
    var element = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    return parent.appendChild(element);
  }

  function plots() {
    document.querySelectorAll("g.ahead").forEach(function (g) { g.remove(); });
    document.querySelectorAll("svg.pale").forEach(function (svg) { svg.classList.remove("pale"); });
    if (ahead === null || !slopes) return;
    slopes.plots.forEach(function (plot) {
      var title = document.getElementById("plot-" + plot.number + "-t");
      var svg = title && title.closest("svg");
      if (!svg) return;
      svg.classList.add("pale");
      var group = make(svg, "g", { "class": "ahead" }), a = plot.area;
      var clip = make(group, "clipPath", { id: "ahead-" + plot.number });
      make(clip, "rect", { x: a[0], y: a[1], width: a[2] - a[0], height: a[3] - a[1] });
      var inner = make(group, "g", { "clip-path": "url(#ahead-" + plot.number + ")" });
      plot.curves.forEach(function (c) {
        make(inner, "path", { "class": "curve c" + (c.colour % 7), transform: "scale(.1)", d: curve(plot, c) });
      });
    });
  }

  function shifted(list, ways, factor) {
    return list.map(function (p, k) {
      return [p[0] + factor * ways[2 * k] * player.data.scale, p[1] - factor * ways[2 * k + 1] * player.data.scale];
    });
  }

  // The slopes of the points at a time of the animation.
  function slopesAt(at) {
    var data = player.data, times = slopes.times, last = times.length - 1;
    var t = data.times[0] + at / Math.max(1, data.frames.length - 1) * (data.times[1] - data.times[0]);
    var forward = times[last] >= times[0] ? 1 : -1, low = 0, high = last;
    while (high - low > 1) {
      var middle = (low + high) >> 1;
      if (forward * (times[middle] - t) <= 0) low = middle; else high = middle;
    }
    var width = times[high] - times[low], s = width ? Math.min(1, Math.max(0, (t - times[low]) / width)) : 0;
    return slopes.points[low].map(function (a, k) { return a + s * (slopes.points[high][k] - a); });
  }

  function mechanism() {
    if (!player) return;
    var reach = REACH * player.data.size[1];
    if (moved) return player.instead(function () { return shifted(player.first(), [].concat.apply([], moved), 1); });
    if (ahead === null || !slopes || !slopes.points.length) return player.instead(null);
    player.instead(function (at, list) {
      var there = shifted(list, slopesAt(at), ahead);
      var near = there.every(function (p, k) { return Math.hypot(p[0] - list[k][0], p[1] - list[k][1]) <= reach; });
      return near ? there : null;
    });
  }

  // ---- the start

  function place() {
    if (!player) return;
    var first = player.first(), size = player.data.size;
    grips.forEach(function (grip) {
      var way = moved ? moved[grip.point] : [0, 0], p = first[grip.point];
      grip.button.style.left = 100 * (p[0] + way[0] * player.data.scale) / size[0] + "%";
      grip.button.style.top = 100 * (p[1] - way[1] * player.data.scale) / size[1] + "%";
    });
  }

  function send(done) {
    if (!drag) return;
    tell({ drag: { point: drag.point, way: drag.way, done: done } });
    if (done) {
      clearTimeout(drag.timer);
      drag = null;
    }
  }

  function soon() {
    if (drag.frame) return;
    drag.frame = requestAnimationFrame(function () {
      if (!drag) return;
      drag.frame = 0;
      send(false);
    });
  }

  function stop() {
    drag = moved = null;
    tell({ drag: null });
    mechanism();
    place();
  }

  function grip(k) {
    var button = document.createElement("button"), data = player.data, name = data.names[k] || "point " + (k + 1);
    button.type = "button";
    button.className = "grip";
    button.title = "Drag " + name;
    button.setAttribute("aria-label", "Move " + name + " at the start: arrow keys, then Enter; Escape leaves it");
    function by(x, y) {
      drag.way = [x / data.scale, -y / data.scale];
      soon();
    }
    button.addEventListener("pointerdown", function (event) {
      button.setPointerCapture(event.pointerId);
      drag = { point: k, way: [0, 0], from: [event.clientX, event.clientY], frame: 0 };
    });
    button.addEventListener("pointermove", function (event) {
      if (!drag || !drag.from || drag.point !== k) return;
      var unit = data.size[0] / stage.clientWidth;
      by((event.clientX - drag.from[0]) * unit, (event.clientY - drag.from[1]) * unit);
    });
    button.addEventListener("pointerup", function () {
      if (drag && drag.from && drag.point === k) send(true);
    });
    button.addEventListener("pointercancel", stop);
    button.addEventListener("keydown", function (event) {
      var arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (event.key === "Escape" && drag) return stop();
      if (event.key === "Enter" && drag) {
        event.preventDefault();
        return send(true);
      }
      if (!arrow) return;
      event.preventDefault();
      var pixels = event.shiftKey ? 1 : 6;
      if (!drag || drag.point !== k) drag = { point: k, way: [0, 0], at: [0, 0], frame: 0 };
      drag.at = [drag.at[0] + pixels * arrow[0], drag.at[1] + pixels * arrow[1]];
      by(drag.at[0], drag.at[1]);
      clearTimeout(drag.timer);
      drag.timer = setTimeout(function () { send(true); }, 1200);
    });
    stage.appendChild(button);
    grips.push({ point: k, button: button });
  }

  function edit(on) {
    stage.classList.toggle("editing", on);
    toggle.setAttribute("aria-pressed", String(on));
    if (on) player.go({ clock: 0, playing: false });
    view();
  }

  function build() {
    stage = document.createElement("div");
    stage.className = "stage";
    player.canvas.parentNode.insertBefore(stage, player.canvas);
    stage.appendChild(player.canvas);
    player.data.marks.forEach(function (mark, k) { if (mark < 2 && grips.length < 40) grip(k); });
    if (!grips.length) return;
    toggle = document.createElement("button");
    toggle.type = "button";
    toggle.className = "word";
    toggle.textContent = "Move the start";
    toggle.setAttribute("aria-pressed", "false");
    toggle.addEventListener("click", function () { edit(!stage.classList.contains("editing")); });
    player.bar.appendChild(toggle);
    place();
  }

  // ---- the view, which the next run goes on with

  var waiting = 0;
  function view() {
    waiting = 0;
    var focus = grips.find(function (g) { return g.button === document.activeElement; });
    var state = { scroll: window.scrollY, editing: !!stage && stage.classList.contains("editing"), grip: focus ? focus.point : null };
    if (player) state.player = player.state();
    tell({ view: state });
  }
  function later() { waiting = waiting || setTimeout(view, 100); }

  window.addEventListener("message", function (event) {
    if (event.source !== studio || !event.data) return;
    var message = event.data;
    if ("slopes" in message) slopes = message.slopes;
    if ("ahead" in message) ahead = message.ahead;
    if ("moved" in message) moved = drag || message.held ? message.moved : null;
    if ("restore" in message) {
      var state = message.restore;
      if (player && state.player) {
        holder.dataset.restored = "yes";
        player.go(state.player);
      }
      if (state.editing && toggle) edit(true);
      window.scrollTo(0, state.scroll);
      var last = grips.find(function (g) { return g.point === state.grip; });
      if (last) last.button.focus({ preventScroll: true });
    }
    plots();
    mechanism();
    place();
  });
  window.addEventListener("scroll", later, { passive: true });
  if (player) {
    build();
    ["click", "input", "focusin", "pointerup", "keyup"].forEach(function (name) { document.addEventListener(name, later); });
    setInterval(function () { if (player.state().playing) view(); }, 500);
  }
  tell({ ready: true });
})();
