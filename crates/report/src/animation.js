(function () {
  "use strict";
  var source = document.getElementById("animation-data");
  var holder = document.getElementById("animation");
  if (!source || !holder) return;
  var data = JSON.parse(source.textContent);
  var canvas = document.createElement("canvas");
  var context = canvas.getContext && canvas.getContext("2d");
  if (!context) return;
  // Frames come as differences.
  data.frames.forEach(function (frame, k) {
    if (k > 0) frame.forEach(function (d, i) { frame[i] = d + data.frames[k - 1][i]; });
  });
  var count = data.frames.length, span = data.times[1] - data.times[0];
  var speed = data.speed, playing = false, clock = 0, last = null, colours = {};

  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The mechanism in motion");
  var bar = document.createElement("div");
  bar.className = "controls";
  bar.innerHTML =
    '<button type="button" aria-label="Play"></button>' +
    '<input type="range" min="0" max="1000" value="0" step="1" aria-label="Time of the run">' +
    '<output></output><label>speed <select></select></label>';
  var button = bar.querySelector("button"), slider = bar.querySelector("input");
  var shown = bar.querySelector("output"), select = bar.querySelector("select");
  [0.1, 0.25, 0.5, 1, 2, 4].forEach(function (factor) {
    var option = document.createElement("option");
    var value = factor * data.speed;
    option.value = String(value);
    option.textContent = "×" + Number(value.toPrecision(2));
    option.selected = factor === 1;
    select.appendChild(option);
  });
  holder.appendChild(canvas);
  holder.appendChild(bar);

  function paint() {
    var style = getComputedStyle(document.documentElement);
    ["paper", "ink", "soft", "line", "hair", "c0", "c1", "c2"].forEach(function (name) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    });
  }

  function fit() {
    var ratio = window.devicePixelRatio || 1, width = canvas.clientWidth || data.size[0];
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round((width * data.size[1] / data.size[0]) * ratio);
    var scale = canvas.width / data.size[0];
    context.setTransform(scale, 0, 0, scale, 0, 0);
    draw();
  }

  function points(at) {
    var k = Math.min(Math.floor(at), count - 1), s = at - k;
    var a = data.frames[k], b = data.frames[Math.min(k + 1, count - 1)], list = [];
    for (var i = 0; i < a.length; i += 2) {
      list.push([(a[i] + s * (b[i] - a[i])) / 10, (a[i + 1] + s * (b[i + 1] - a[i + 1])) / 10]);
    }
    return list;
  }

  function line(list, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    list.forEach(function (p, k) {
      if (k && p[2] !== 1) context.lineTo(p[0], p[1]); else context.moveTo(p[0], p[1]);
    });
    context.stroke();
  }

  function across(p, q, list) {
    var dx = q[0] - p[0], dy = q[1] - p[1], size = Math.hypot(dx, dy) || 1e-9;
    return list.map(function (m) {
      return [p[0] + m[0] * dx - m[1] * dy / size, p[1] + m[0] * dy + m[1] * dx / size, m[2]];
    });
  }

  function coils(p, q) {
    var list = [[0, 0], [0.14, 0]];
    for (var k = 0; k < 10; k++) list.push([0.14 + 0.072 * (k + 0.5), k % 2 ? -6 : 6]);
    return across(p, q, list.concat([[0.86, 0], [1, 0]]));
  }

  function piston(p, q) {
    return across(p, q, [[0, 0], [0.4, 0], [0.6, 6, 1], [0.4, 6], [0.4, -6], [0.6, -6],
      [0.52, 4, 1], [0.52, -4], [0.52, 0, 1], [1, 0]]);
  }

  function disc(p, radius, fill, edge) {
    context.beginPath();
    context.arc(p[0], p[1], radius, 0, 2 * Math.PI);
    context.fillStyle = fill;
    context.fill();
    if (edge) {
      context.strokeStyle = edge;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  function ground(p) {
    line([[p[0], p[1]], [p[0] - 8, p[1] + 11], [p[0] + 8, p[1] + 11], [p[0], p[1]]], colours.soft, 1.3);
    line([[p[0] - 11, p[1] + 11], [p[0] + 11, p[1] + 11]], colours.soft, 1.3);
  }

  function trails(at) {
    var now = Math.floor(at), length = Math.max(2, Math.round(count * data.trail));
    data.trails.forEach(function (k, c) {
      for (var part = 0; part < 8; part++) {
        var from = Math.max(0, now - Math.round(length * (8 - part) / 8));
        var to = Math.max(0, now - Math.round(length * (7 - part) / 8)), list = [];
        for (var i = from; i <= to; i++) list.push([data.frames[i][2 * k] / 10, data.frames[i][2 * k + 1] / 10]);
        if (part === 7) list.push(points(at)[k]);
        context.globalAlpha = 0.1 + 0.1 * part;
        line(list, colours["c" + (c % 3)], 1.8);
      }
    });
    context.globalAlpha = 1;
  }

  function draw() {
    var at = clock * (count - 1), list = points(at);
    context.clearRect(0, 0, data.size[0], data.size[1]);
    context.lineCap = context.lineJoin = "round";
    trails(at);
    data.strokes.forEach(function (s) {
      var p = list[s[0]], q = list[s[1]];
      if (s[2] === 1) line(coils(p, q), colours.soft, 1.4);
      else if (s[2] === 2) line(piston(p, q), colours.soft, 1.4);
      else if (s[2] === 3) line([p, q], colours.line, 7);
      else line([p, q], s[2] === 0 ? colours.ink : colours.soft, s[2] === 0 ? 2.4 : 1.2);
    });
    data.marks.forEach(function (mark, k) {
      if (mark === 0) disc(list[k], 6.5, colours.c0);
      else if (mark === 1) disc(list[k], 4, colours.c0);
      else if (mark === 2) disc(list[k], 3, colours.paper, colours.ink);
      else if (mark === 3) ground(list[k]);
    });
    var time = data.times[0] + clock * span;
    shown.textContent = "t = " + time.toFixed(data.decimals) + data.unit;
    slider.value = String(Math.round(1000 * clock));
  }

  function tick(now) {
    if (!playing) return;
    if (last !== null) clock += (now - last) / 1000 * speed / Math.abs(span);
    last = now;
    if (clock >= 1) clock = 0;
    draw();
    requestAnimationFrame(tick);
  }

  function play(on) {
    if (on === playing) return;
    playing = on;
    last = null;
    button.setAttribute("aria-label", on ? "Pause" : "Play");
    button.classList.toggle("on", on);
    if (on) requestAnimationFrame(tick);
  }

  button.addEventListener("click", function () { play(!playing); });
  slider.addEventListener("input", function () {
    play(false);
    clock = Number(slider.value) / 1000;
    draw();
  });
  select.addEventListener("change", function () { speed = Number(select.value); });
  window.addEventListener("resize", fit);
  if (window.matchMedia) {
    var dark = window.matchMedia("(prefers-color-scheme: dark)");
    if (dark.addEventListener) dark.addEventListener("change", function () { paint(); draw(); });
  }
  paint();
  fit();
  var calm = window.matchMedia && window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!calm && window.IntersectionObserver) {
    var watch = new IntersectionObserver(function (list) {
      if (list.some(function (entry) { return entry.isIntersecting; })) {
        watch.disconnect();
        play(true);
      }
    }, { threshold: 0.5 });
    watch.observe(canvas);
  }
})();
