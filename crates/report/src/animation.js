(function () {
  "use strict";

  // Plays the data behind `holder` in it; a small one has no controls.
  function mount(holder) {
    var source = holder.nextElementSibling, small = holder.classList.contains("small");
    if (!source || source.tagName !== "SCRIPT" || holder.dataset.mounted) return;
    holder.dataset.mounted = "yes";
    var data = JSON.parse(source.textContent);
    var canvas = document.createElement("canvas");
    var context = canvas.getContext && canvas.getContext("2d");
    if (!context) return;
    // Frames come as differences.
    function sum(frames) {
      frames.forEach(function (frame, k) {
        if (k > 0) frame.forEach(function (d, i) { frame[i] = d + frames[k - 1][i]; });
      });
    }
    sum(data.frames);
    if (data.camera) sum(data.camera);
    var count = data.frames.length, span = data.times[1] - data.times[0];
    var speed = data.speed, playing = false, clock = 0, last = null, colours = {};
    // Opacity of what is drawn now, and points in whose place others are pale.
    var veil = 1, instead = null;

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
    var still = holder.previousElementSibling;
    if (still) still.hidden = true;
    holder.appendChild(canvas);
    if (!small) holder.appendChild(bar);

    function paint() {
      var style = getComputedStyle(document.documentElement);
      ["paper", "ink", "soft", "line", "hair", "c0", "c1", "c2"].forEach(function (name) {
        colours[name] = style.getPropertyValue("--" + name).trim();
      });
    }

    function fit() {
      var ratio = window.devicePixelRatio || 1, width = canvas.clientWidth || data.size[0];
      var height = small ? canvas.clientHeight : width * data.size[1] / data.size[0];
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      var scale = Math.min(canvas.width / data.size[0], canvas.height / data.size[1]);
      var x = (canvas.width - scale * data.size[0]) / 2, y = (canvas.height - scale * data.size[1]) / 2;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.setTransform(scale, 0, 0, scale, x, y);
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

    // The way that the window has moved.
    function moved(at) {
      if (!data.camera) return [0, 0];
      var k = Math.min(Math.floor(at), count - 1), s = at - k;
      var a = data.camera[k], b = data.camera[Math.min(k + 1, count - 1)];
      return [(a[0] + s * (b[0] - a[0])) / 10, (a[1] + s * (b[1] - a[1])) / 10];
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

    function ring(p, c, a, b) {
      var list = [];
      for (var k = 0; k <= 36; k++) {
        var s = Math.sin(k * Math.PI / 18), t = Math.cos(k * Math.PI / 18);
        list.push([0, 1].map(function (i) { return p[c][i] + t * (p[a][i] - p[c][i]) + s * (p[b][i] - p[c][i]); }));
      }
      return list;
    }

    function area(list) {
      context.beginPath();
      list.forEach(function (p, k) { if (k) context.lineTo(p[0], p[1]); else context.moveTo(p[0], p[1]); });
      context.globalAlpha = 0.16 * veil;
      context.fillStyle = colours.c0;
      context.fill();
      context.globalAlpha = veil;
      line(list, colours.c0, 1.8);
    }

    function solid(s, p) {
      var r = s[2], c = r[0], a = r[1], b = r[2];
      if (s[0] === 1) {
        disc(p[c], s[1], "transparent", colours.c0);
        context.globalAlpha = 0.16 * veil;
        disc(p[c], s[1], colours.c0);
        context.globalAlpha = veil;
        line(ring(p, c, a, b), colours.soft, 1.2);
      } else area(ring(p, c, a, b));
      if (s[0] === 2) {
        area(ring(p, r[3], r[4], r[5]));
        var x = p[r[3]][0] - p[c][0], y = p[r[3]][1] - p[c][1];
        var cross = function (k) { return (p[k][0] - p[c][0]) * y - (p[k][1] - p[c][1]) * x; };
        var turn = Math.atan2(cross(b), cross(a));
        [turn, turn + Math.PI].forEach(function (t) {
          var at = [0, 1].map(function (i) { return p[c][i] + Math.cos(t) * (p[a][i] - p[c][i]) + Math.sin(t) * (p[b][i] - p[c][i]); });
          line([at, [at[0] + x, at[1] + y]], colours.c0, 1.8);
        });
        c = r[3];
        a = r[4];
      }
      line([p[c], p[a]], colours.soft, 1.2);
    }

    // Points of the ground, which show how the window moves.
    function lattice() {
      var o = data.lattice[0], a = data.lattice[1], b = data.lattice[2], size = data.size;
      var det = a[0] * b[1] - a[1] * b[0];
      if (!det) return;
      var shift = moved(clock * (count - 1)), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
      [[0, 0], [size[0], 0], [0, size[1]], size].forEach(function (corner) {
        var x = corner[0] + shift[0] - o[0], y = corner[1] + shift[1] - o[1];
        [(x * b[1] - y * b[0]) / det, (y * a[0] - x * a[1]) / det].forEach(function (v, k) {
          low[k] = Math.min(low[k], v);
          high[k] = Math.max(high[k], v);
        });
      });
      if ((high[0] - low[0]) * (high[1] - low[1]) > 4000) return;
      for (var i = Math.ceil(low[0]); i <= high[0]; i++) {
        for (var j = Math.ceil(low[1]); j <= high[1]; j++) disc([o[0] + i * a[0] + j * b[0], o[1] + i * a[1] + j * b[1]], 1.4, colours.line);
      }
    }

    function ruler() {
      var y = data.size[1] - 12, x = data.ruler[0];
      if (data.lattice) {
        context.fillStyle = colours.paper;
        context.fillRect(4, y - 10, x + 20 + 7 * data.ruler[1].length, 20);
      }
      line([[10, y - 3], [10, y + 3], [10, y, 1], [10 + x, y], [10 + x, y - 3, 1], [10 + x, y + 3]], colours.line, 1);
      context.fillStyle = colours.soft;
      context.font = "12px system-ui, sans-serif";
      context.fillText(data.ruler[1], 16 + x, y + 4);
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

    // What is closed and sticks, and the impacts of this moment.
    function contacts() {
      var now = "", hits = [];
      data.modes.forEach(function (m) { if (m[0] <= clock) now = m[1]; });
      (data.impacts || []).forEach(function (i) {
        if (i[0] <= clock && clock - i[0] < 0.02 && hits.indexOf(i[1]) < 0) hits.push(i[1]);
      });
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = colours.soft;
      context.fillText(now, 10, 18);
      context.fillStyle = colours.c1;
      if (hits.length) context.fillText("impact: " + hits.join(", "), 10, 34);
    }

    function mechanism(list, opacity) {
      context.globalAlpha = veil = opacity;
      data.solids.forEach(function (s) { solid(s, list); });
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
      context.globalAlpha = veil = 1;
    }

    function draw() {
      var at = clock * (count - 1), list = points(at);
      context.save();
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.restore();
      context.lineCap = context.lineJoin = "round";
      context.save();
      var shift = moved(at);
      context.translate(-shift[0], -shift[1]);
      if (data.lattice) lattice();
      if (data.floor !== undefined) line([[shift[0], data.floor], [shift[0] + data.size[0], data.floor]], colours.line, 1.5);
      trails(at);
      var others = instead && instead(at, list);
      mechanism(list, others ? 0.3 : 1);
      if (others) mechanism(others, 1);
      context.restore();
      if (!small) ruler();
      if (data.modes && !small) contacts();
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

    // For scripts that know more about the motion.
    holder.player = {
      data: data,
      canvas: canvas,
      bar: bar,
      first: function () { return points(0); },
      state: function () { return { clock: clock, playing: playing }; },
      go: function (state) {
        clock = state.clock;
        play(state.playing);
        draw();
      },
      instead: function (make) {
        instead = make;
        draw();
      },
    };
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
        var seen = list[list.length - 1].isIntersecting;
        if (small) return play(seen);
        if (seen) {
          watch.disconnect();
          if (!holder.dataset.restored) play(true);
        }
      }, { threshold: 0.5 });
      watch.observe(canvas);
    }
  }

  document.querySelectorAll(".animation").forEach(mount);
})();
