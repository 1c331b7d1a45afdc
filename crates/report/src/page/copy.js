(function () {
  "use strict";
  function fallback(text) {
    var area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.appendChild(area);
    area.select();
    var done = false;
    try { done = document.execCommand("copy"); } catch (error) { done = false; }
    document.body.removeChild(area);
    return done;
  }

  function copy(text, button) {
    var name = button.textContent;
    function say(done) {
      button.textContent = done ? "copied" : "not copied";
      setTimeout(function () { button.textContent = name; }, 1200);
    }
    if (navigator.clipboard && navigator.clipboard.writeText) {
      navigator.clipboard.writeText(text).then(function () { say(true); }, function () { say(fallback(text)); });
    } else say(fallback(text));
  }

  function add(parent, label, name, text) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = label;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", function () { copy(text(), button); });
    parent.appendChild(button);
  }

  document.querySelectorAll("[data-latex]").forEach(function (step) {
    var row = step.querySelector(".label");
    if (!row) {
      row = document.createElement("p");
      row.className = "label";
      row.appendChild(document.createElement("span"));
      step.insertBefore(row, step.firstChild);
    }
    add(row, "LaTeX", "Copy as LaTeX", function () { return step.getAttribute("data-latex"); });
  });
  document.querySelectorAll("pre.source, pre.command").forEach(function (block) {
    var what = block.className === "source" ? "the model" : "the command";
    var row = document.createElement("p");
    row.className = "label";
    row.appendChild(document.createElement("span"));
    block.parentNode.insertBefore(row, block);
    add(row, "copy", "Copy " + what, function () { return block.textContent; });
  });
})();
