(function () {
  "use strict";
  var place = document.getElementById("find"), none = document.getElementById("none");
  var input = document.createElement("input");
  input.type = "search";
  input.className = "search";
  input.placeholder = "search: rolling, quaternion, drag …";
  input.setAttribute("aria-label", "Search the models");
  place.insertBefore(input, place.firstChild);
  var sections = Array.from(document.querySelectorAll("main section")).map(function (section) {
    var topic = section.querySelector("h2").textContent;
    var cards = Array.from(section.querySelectorAll("li")).map(function (card) {
      var words = Array.from(card.querySelectorAll("h3, p")).map(function (e) { return e.textContent; });
      return { card: card, text: (topic + " " + words.join(" ")).toLowerCase() };
    });
    return { section: section, cards: cards };
  });
  function search() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), found = 0;
    sections.forEach(function (s) {
      var here = 0;
      s.cards.forEach(function (c) {
        var shown = words.every(function (w) { return c.text.indexOf(w) >= 0; });
        c.card.hidden = !shown;
        if (shown) here++;
      });
      s.section.hidden = here === 0;
      found += here;
    });
    none.hidden = found > 0;
  }
  input.addEventListener("input", search);
  // Browsers keep what was typed when one comes back.
  search();
})();
