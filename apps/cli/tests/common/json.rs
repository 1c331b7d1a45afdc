//! A reader of JSON, strict: what a script would use.

#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The one value of a text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            rest: text,
            length: text.len(),
        };
        let value = reader.value()?;
        reader.space();
        match reader.rest {
            "" => Ok(value),
            _ => Err(reader.wrong("the end")),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries.iter().find(|e| e.0 == key).map(|e| &e.1),
            _ => None,
        }
    }

    pub fn keys(&self) -> Vec<&str> {
        match self {
            Self::Object(entries) => entries.iter().map(|e| e.0.as_str()).collect(),
            _ => vec![],
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
    length: usize,
}

impl Reader<'_> {
    fn wrong(&self, wanted: &str) -> String {
        format!(
            "{wanted} expected at byte {}",
            self.length - self.rest.len()
        )
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Result<Json, String> {
        self.space();
        for (word, value) in [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
        ] {
            if self.take(word) {
                return Ok(value);
            }
        }
        if self.rest.starts_with('"') {
            return self.text().map(Json::Text);
        }
        if self.take("[") {
            let mut list = Vec::new();
            self.space();
            if self.take("]") {
                return Ok(Json::List(list));
            }
            loop {
                list.push(self.value()?);
                self.space();
                if self.take("]") {
                    return Ok(Json::List(list));
                }
                if !self.take(",") {
                    return Err(self.wrong("a comma"));
                }
            }
        }
        if self.take("{") {
            let mut entries: Vec<(String, Json)> = Vec::new();
            self.space();
            if self.take("}") {
                return Ok(Json::Object(entries));
            }
            loop {
                self.space();
                let key = self.text()?;
                self.space();
                if !self.take(":") {
                    return Err(self.wrong("a colon"));
                }
                let value = self.value()?;
                if entries.iter().any(|e| e.0 == key) {
                    return Err(format!("the key {key} twice"));
                }
                entries.push((key, value));
                self.space();
                if self.take("}") {
                    return Ok(Json::Object(entries));
                }
                if !self.take(",") {
                    return Err(self.wrong("a comma"));
                }
            }
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
            .unwrap_or(self.rest.len());
        let number = self.rest[..end]
            .parse()
            .map_err(|_| self.wrong("a value"))?;
        self.rest = &self.rest[end..];
        Ok(Json::Number(number))
    }

    fn text(&mut self) -> Result<String, String> {
        if !self.take("\"") {
            return Err(self.wrong("a text"));
        }
        let mut out = String::new();
        loop {
            let c = self.rest.chars().next().ok_or("an open text")?;
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let e = self.rest.chars().next().ok_or("an open text")?;
                    self.rest = &self.rest[e.len_utf8()..];
                    match e {
                        '"' | '\\' | '/' => out.push(e),
                        'n' => out.push('\n'),
                        't' => out.push('\t'),
                        'r' => out.push('\r'),
                        'u' => {
                            let code = self.rest.get(..4).ok_or("an open text")?;
                            let n = u32::from_str_radix(code, 16).map_err(|e| e.to_string())?;
                            out.push(char::from_u32(n).ok_or("a lone surrogate")?);
                            self.rest = &self.rest[4..];
                        }
                        _ => return Err(self.wrong("an escape")),
                    }
                }
                c if (c as u32) < 32 => return Err(self.wrong("no control character")),
                c => out.push(c),
            }
        }
    }
}
