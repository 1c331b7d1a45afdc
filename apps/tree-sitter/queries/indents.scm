(repetition "}" @outdent) @indent
(tuple ")" @outdent) @indent
(arguments ")" @outdent) @indent
