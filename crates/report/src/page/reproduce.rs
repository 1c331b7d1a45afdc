//! How to reproduce the page: command, version, method, and the model itself.

use std::fmt::Write;

use super::Page;
use crate::markup::escaped;

impl Page<'_, '_> {
    pub(super) fn reproduce(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "<pre class=\"command\"><code>{}</code></pre>",
            escaped(&self.command)
        );
        let mut facts = vec![("Galilei", self.version.to_owned())];
        if let Ok(record) = &self.record {
            facts.push(("Method", record.made()));
        }
        let values = self.model.parameter_values().unwrap_or_default();
        let list = values
            .iter()
            .map(|(s, v)| format!("{s} = {:?}", v.evaluate_f64(&[])));
        let list: Vec<String> = list.collect();
        if !list.is_empty() {
            facts.push(("Parameters, SI", list.join(", ")));
        }
        out.push_str("<dl class=\"sources\">\n");
        for (name, value) in facts {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value));
        }
        let _ = writeln!(
            out,
            "</dl>\n<p>The model, as it was read:</p>\n<pre class=\"source\"><code>{}</code></pre>",
            escaped(self.source.trim_end())
        );
    }
}
