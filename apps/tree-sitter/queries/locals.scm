(source_file) @local.scope
(repetition) @local.scope
(declaration name: (identifier) @local.definition)
(identifier) @local.reference
