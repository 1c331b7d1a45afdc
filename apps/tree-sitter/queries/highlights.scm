; Names first: later patterns take precedence over earlier ones.
(identifier) @variable
(declaration name: (identifier) @variable.parameter)
(parameters (identifier) @variable.parameter)
(label (identifier) @label)
(call function: (identifier) @function)
(table name: (identifier) @function)
(chart name: (identifier) @type)
(rotation (identifier) @function)
(shape kind: (identifier) @type)
(component component: (identifier) @property)
(unit_name) @type
(unit ["[" "]"] @punctuation.bracket)

(keyword) @keyword
(number) @number
(string) @string
(comment) @comment
(wedge) @operator
["+" "-" "*" "/" "^" "=" "<" "<=" ">" ">=" ".." "'"] @operator
["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter
