(function () {
  "use strict";
  var errors = [];
  window.addEventListener("error", function (e) { errors.push(String(e.message)); });
  var said = console.error;
  console.error = function () { errors.push([].join.call(arguments, " ")); said.apply(console, arguments); };

  function colour(text) {
    var m = /^rgba?\(([^)]+)\)/.exec(text);
    if (!m) return null;
    var parts = m[1].split(/[\s,\/]+/).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  }
  function luminance(rgb) {
    var list = rgb.map(function (v) {
      v /= 255;
      return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * list[0] + 0.7152 * list[1] + 0.0722 * list[2];
  }
  function paper(element) {
    for (var e = element; e; e = e.parentElement) {
      var c = colour(getComputedStyle(e).backgroundColor);
      if (c && c.alpha === 1) return c.rgb;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  }
  function contrast(element) {
    var style = getComputedStyle(element);
    var ink = colour(element.ownerSVGElement ? style.fill : style.color);
    if (!ink) return 21;
    var a = luminance(ink.rgb), b = luminance(paper(element));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  function name(element) {
    var text = (element.textContent || "").trim().slice(0, 40);
    return element.tagName + "." + (element.getAttribute("class") || "") + " " + text;
  }
  function picture(canvas) {
    var data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, sum = 0;
    for (var i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i] + 3 * data[i + 1] + 7 * data[i + 3] * (i % 9973)) % 1000003;
    return sum;
  }

  function measure(done) {
    var wide = [], clipped = [], faint = [], texts = 0, width = window.innerWidth;
    document.querySelectorAll("details").forEach(function (d) { d.open = true; });
    document.querySelectorAll("body *").forEach(function (e) {
      if (e.ownerSVGElement || e.tagName === "SCRIPT") return;
      var box = e.getBoundingClientRect();
      if (box.width > width + 0.5 || box.right > width + 0.5) wide.push(name(e) + " to " + Math.round(box.right));
    });
    if (document.documentElement.scrollWidth > width) wide.push("the page scrolls sideways");
    document.querySelectorAll(".formula").forEach(function (f) {
      if (f.scrollWidth > f.clientWidth + 1) clipped.push(name(f) + " " + f.scrollWidth + " in " + f.clientWidth);
    });
    document.querySelectorAll("svg text").forEach(function (t) {
      var box = t.getBoundingClientRect(), frame = t.ownerSVGElement.getBoundingClientRect();
      if (box.width && (box.right > frame.right + 1 || box.left < frame.left - 1)) clipped.push(name(t) + " leaves its picture");
    });
    var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = new Set();
    while (walker.nextNode()) {
      var e = walker.currentNode.parentElement;
      if (!walker.currentNode.nodeValue.trim() || ["SCRIPT", "STYLE", "TITLE", "DESC", "title", "desc"].indexOf(e.tagName) >= 0) continue;
      texts++;
      if (seen.has(e)) continue;
      seen.add(e);
      var ratio = contrast(e);
      if (ratio < 4.5) faint.push(name(e) + " " + ratio.toFixed(2));
    }
    var canvas = document.querySelector("#animation canvas"), before = canvas ? picture(canvas) : 0;
    if (canvas) {
      var button = document.querySelector(".controls button");
      canvas.scrollIntoView();
      if (!button.classList.contains("on")) button.click();
    }
    setTimeout(function () {
      done({
        errors: errors, wide: wide.slice(0, 5), clipped: clipped.slice(0, 5), faint: faint.slice(0, 5),
        width: width, texts: texts, canvas: !!canvas, moves: canvas ? picture(canvas) !== before : false
      });
    }, 1500);
  }

  window.addEventListener("load", function () {
    setTimeout(function () {
      measure(function (found) {
        var out = document.createElement("pre");
        out.id = "measured";
        out.textContent = JSON.stringify(found);
        document.body.appendChild(out);
      });
    }, 300);
  });
})();
