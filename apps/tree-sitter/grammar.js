// The grammar of model files for editors. It follows `crates/syntax`: the tests compare both on every model of the repository.
//
// A statement ends with its line, unless the line cannot end there: inside of parentheses and brackets, and behind an operator, a comma
// or a colon. The scanner offers the end of a line as a token, which the grammar takes where a statement may end.

/** One or more, with commas between them. */
const list = (rule) => seq(rule, repeat(seq(",", rule)));
/** A word of the language. */
const word = ($, ...words) => alias(words.length > 1 ? choice(...words) : words[0], $.keyword);

module.exports = grammar({
  name: "galilei",
  word: ($) => $.identifier,
  externals: ($) => [$._newline],
  extras: ($) => [/\s/, /\ufeff/, $.comment],
  supertypes: ($) => [$.statement, $.expression],

  rules: {
    source_file: ($) => seq(repeat($._end), optional($._statements)),
    _end: ($) => choice($._newline, ";"),
    _statements: ($) => seq($.statement, repeat(seq(repeat1($._end), $.statement)), repeat($._end)),

    statement: ($) =>
      choice(
        $.title,
        $.declarations,
        $.table,
        $.assumption,
        $.initial,
        $.dependent,
        $.simulation,
        $.repetition,
        $.placement,
        $.shape,
        $.connection,
        $.quantity,
        $.metric,
        $.components,
        $.force,
        $.constraint,
        $.reaction,
        $.contact,
        $.friction,
        $.impact,
        $.chart,
        $.atlas,
        $.event,
      ),

    title: ($) => seq(word($, "system"), $.string),
    declarations: ($) =>
      seq(word($, "const", "param", "coord", "let", "function", "input"), list($.declaration)),
    declaration: ($) =>
      seq(
        field("name", $.identifier),
        optional($.index),
        optional($.parameters),
        optional(seq(word($, "on"), field("manifold", $.identifier))),
        optional($.unit),
        optional(seq("=", field("value", $.expression), optional($.unit))),
      ),
    parameters: ($) => seq("(", list($.identifier), ")"),
    table: ($) =>
      seq(
        word($, "table"),
        field("name", $.identifier),
        $.parameters,
        choice(
          seq(word($, "from"), $.string, word($, "columns"), $.string, ",", $.string),
          seq("=", $.entries),
        ),
        alias($.identifier, $.keyword),
      ),
    entries: ($) => seq("[", optional(seq(list($.tuple), optional(","))), "]"),
    assumption: ($) => seq(word($, "assume"), list($._condition)),
    initial: ($) => seq(word($, "initial"), list($.equation)),
    dependent: ($) => seq(word($, "dependent"), list($.expression)),
    simulation: ($) =>
      seq(
        word($, "simulate"),
        repeat(seq(word($, "from", "to", "every", "method", "tolerance"), $.expression)),
      ),
    repetition: ($) =>
      seq(word($, "for"), $.binder, "{", repeat($._end), optional($._statements), "}"),

    _label: ($) => seq(optional($.label), ":"),
    label: ($) => seq($.identifier, optional($.index)),
    placement: ($) => seq(word($, "particle", "frame", "body"), $._label, repeat1($._pose)),
    _pose: ($) =>
      choice(
        seq(word($, "mass", "inertia", "at", "angle"), $.expression),
        seq(word($, "in"), $.label),
        seq(word($, "rotation"), $.rotation, repeat(seq(word($, "then"), $.rotation))),
      ),
    rotation: ($) => seq($.identifier, optional($.index), optional($.arguments)),
    shape: ($) =>
      seq(
        word($, "shape"),
        $._label,
        field("kind", $.identifier),
        optional(list($.expression)),
        optional(seq(word($, "on"), $.label)),
      ),
    connection: ($) =>
      seq(
        word($, "spring", "damper"),
        $._label,
        repeat1(seq(word($, "stiffness", "length", "coefficient", "from", "to"), $.expression)),
      ),
    quantity: ($) =>
      seq(
        choice(
          word($, "gravity", "kinetic", "potential", "lagrangian", "hamiltonian", "dissipation", "output"),
          seq(word($, "action"), word($, "form")),
        ),
        $._label,
        $.expression,
      ),
    metric: ($) => seq(word($, "metric"), $._label, list($.metric_entry)),
    metric_entry: ($) => seq($.label, $.label, "=", $.expression),
    components: ($) =>
      seq(
        choice(
          word($, "reference", "inverse", "symmetry", "variation", "acceleration"),
          seq(word($, "vector"), word($, "potential")),
        ),
        $._label,
        list($.equation),
      ),
    force: ($) =>
      seq(
        word($, "force"),
        $._label,
        choice(
          seq(word($, "torque"), $.expression, word($, "on"), $.label),
          seq(word($, "form"), $.expression),
          seq($.expression, word($, "at"), $.expression),
          list($.equation),
        ),
      ),
    constraint: ($) =>
      seq(word($, "constraint"), $._label, choice(seq(word($, "form"), $.expression), $.equation)),
    reaction: ($) =>
      seq(word($, "reaction"), $._label, choice(word($, "ideal", "connection"), list($.equation))),
    contact: ($) =>
      seq(
        word($, "contact"),
        $._label,
        $.comparison,
        repeat(seq(word($, "restitution", "friction", "along"), $.expression)),
      ),
    friction: ($) =>
      seq(
        word($, "friction"),
        $._label,
        repeat1(seq(word($, "limit", "static", "along"), $.expression)),
      ),
    impact: ($) => seq(word($, "impact"), $._label, $.label, list($.equation)),
    chart: ($) =>
      seq(word($, "chart"), field("name", $.identifier), $.parameters, ":", list($.equation)),
    atlas: ($) => seq(word($, "atlas"), $._label, list($.expression)),
    event: ($) =>
      seq(
        word($, "event"),
        $._label,
        $.expression,
        repeat(word($, "rising", "falling", "both", "terminal")),
      ),

    equation: ($) => seq($.expression, "=", $.expression),
    comparison: ($) => seq($.expression, choice("<", "<=", ">", ">="), $.expression),
    _condition: ($) => choice($.expression, $.comparison, $.equation),
    binder: ($) => seq($.identifier, word($, "in"), $.range),
    range: ($) => seq($.expression, "..", $.expression),

    expression: ($) =>
      choice($.number, $.identifier, $.indexed, $.call, $.tuple, $.velocity, $.component, $.power, $.negation, $.binary),
    // A bracket that touches its name holds an index; one behind a space holds a unit.
    index: ($) => seq(token.immediate(prec(1, "[")), choice(list($.expression), $.range, $.binder), "]"),
    indexed: ($) => prec.left(7, seq($.identifier, $.index)),
    call: ($) => prec(8, seq(field("function", $.identifier), optional($.index), $.arguments)),
    arguments: ($) => seq("(", optional(choice(list($._condition), $.family)), ")"),
    family: ($) => seq($.binder, ":", $.expression),
    tuple: ($) => seq("(", list($.expression), ")"),
    velocity: ($) => prec.left(7, seq($.expression, repeat1(token.immediate("'")))),
    component: ($) => prec.left(7, seq($.expression, ".", field("component", $.identifier))),
    power: ($) => prec.right(6, seq($.expression, "^", $.expression)),
    negation: ($) => prec(5, seq("-", $.expression)),
    binary: ($) =>
      choice(
        prec.left(4, seq($.expression, choice("*", "/"), $.expression)),
        prec.left(3, seq($.expression, alias(choice("/\\", "/\\\\", "∧"), $.wedge), $.expression)),
        prec.left(2, seq($.expression, choice("+", "-"), $.expression)),
      ),

    unit: ($) => seq("[", $._unit_product, "]"),
    _unit_product: ($) => seq($._unit_factor, repeat(seq(choice("*", "/"), $._unit_factor))),
    _unit_factor: ($) =>
      seq(
        choice(alias($.identifier, $.unit_name), $.number, seq("(", $._unit_product, ")")),
        optional(seq("^", optional("-"), $.number)),
      ),

    // Letters, digits (subscripts too: θ₁) and `_`; no superscripts, no fractions.
    identifier: () => new RustRegex("[\\p{Alphabetic}_][[\\p{Alphabetic}\\p{N}_]--[²³¹⁰⁴-⁹¼-¾⅐-⅟↉]]*"),
    number: () => /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/,
    string: () => /"[^"\n]*"/,
    comment: () => token(/#[^\n]*/),
  },
});
