//! Escaped text and short numbers for HTML and SVG.

/// Text between tags or inside a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A length in a picture, to a hundredth.
pub(crate) fn length(x: f64) -> String {
    let mut text = format!("{x:.2}");
    while text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    match text.as_str() {
        "-0" => "0".into(),
        _ => text,
    }
}

/// A number for a reader: four digits, powers of ten where there would be many zeros.
pub(crate) fn readable(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !x.is_finite() {
        return "not finite".into();
    }
    let size = x.abs().log10().floor() as i32;
    let text = if (-3..6).contains(&size) {
        let decimals = (3 - size).max(0) as usize;
        let text = format!("{x:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        let mantissa = length(x / 10f64.powi(size));
        format!("{mantissa}·10{}", superscript(size))
    };
    text.replace('-', "−")
}

/// A whole number as an exponent.
pub(crate) fn superscript(n: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁴' as u32 + (c as u32 - '4' as u32)).unwrap_or(c),
    };
    n.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escaped("<script a='b'>&\"\u{7}"),
            "&lt;script a=&#39;b&#39;&gt;&amp;&quot;\u{fffd}"
        );
    }

    #[test]
    fn numbers_are_short() {
        let list = [0.0, -0.001, 1.50, 12.345, 100.0, -3.0];
        let texts = list.map(length);
        assert_eq!(texts, ["0", "0", "1.5", "12.35", "100", "-3"]);
        let list = [0.1, -9.81, 250.0, 123_456.0, 4.41e-7, 6e23, 0.003];
        let texts = list.map(readable);
        let wanted = [
            "0.1",
            "−9.81",
            "250",
            "123456",
            "4.41·10⁻⁷",
            "6·10²³",
            "0.003",
        ];
        assert_eq!(texts, wanted);
    }
}
