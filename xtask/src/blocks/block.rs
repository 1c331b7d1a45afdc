//! The console blocks of a markdown text.

/// One fenced block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The file's name, for messages.
    pub(crate) file: String,
    /// Line of the opening fence, from 1.
    pub(crate) line: usize,
    /// Every command of it must fail.
    pub(crate) fails: bool,
    /// Commands with the output they are documented to have.
    pub(crate) steps: Vec<Step>,
    /// Errors in the form of the block.
    pub(crate) problems: Vec<String>,
}

/// One command of a block.
#[derive(Debug)]
pub(crate) struct Step {
    /// Line of the command, from 1.
    pub(crate) line: usize,
    /// The command after `$ `; lines that end in a backslash are joined with the next.
    pub(crate) command: String,
    /// The lines up to the next command.
    pub(crate) expected: Vec<String>,
}

/// A fence: its indentation, its character, how often that is repeated, and the text after it.
struct Fence<'t> {
    indent: usize,
    mark: char,
    length: usize,
    info: &'t str,
}

impl<'t> Fence<'t> {
    fn read(line: &'t str) -> Option<Fence<'t>> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        (length >= 3).then(|| Fence {
            indent: line.len() - text.len(),
            mark,
            length,
            info: info.trim(),
        })
    }

    fn closes(&self, opening: &Fence<'_>) -> bool {
        self.info.is_empty() && self.mark == opening.mark && self.length >= opening.length
    }
}

/// All blocks whose fence says `console`.
pub(crate) fn parse(file: &str, markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(opening) = Fence::read(line) else {
            continue;
        };
        let body: Vec<(&str, usize)> = lines
            .by_ref()
            .take_while(|(line, _)| !Fence::read(line).is_some_and(|fence| fence.closes(&opening)))
            .map(|(line, number)| (unindented(line, opening.indent), number))
            .collect();
        let mut info = opening.info.split([' ', ',']);
        if info.next() == Some("console") {
            let mut block = read_steps(file, &body);
            block.line = number;
            block.fails = info.any(|word| word == "fails");
            blocks.push(block);
        }
    }
    blocks
}

fn unindented(line: &str, indent: usize) -> &str {
    let blank = line.len() - line.trim_start().len();
    &line[blank.min(indent)..]
}

fn read_steps(file: &str, body: &[(&str, usize)]) -> Block {
    let mut block = Block {
        file: file.to_string(),
        ..Block::default()
    };
    let mut lines = body.iter();
    while let Some(&(line, number)) = lines.next() {
        if let Some(command) = line.strip_prefix("$ ") {
            let mut command = command.to_string();
            while command.ends_with('\\') {
                let Some((more, _)) = lines.next() else { break };
                command.pop();
                command += more.strip_prefix("> ").unwrap_or(more);
            }
            block.steps.push(Step {
                line: number,
                command,
                expected: Vec::new(),
            });
        } else if let Some(step) = block.steps.last_mut() {
            step.expected.push(line.to_string());
        } else if !line.trim().is_empty() {
            block.problems.push(format!(
                "{file}:{number}: a console block begins with `$ command`, not with `{line}`"
            ));
        }
    }
    if block.steps.is_empty() && block.problems.is_empty() {
        let problem = format!("{file}: a console block without a command");
        block.problems.push(problem);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_output_are_separated() {
        let text = "# T\n```sh\n$ no\n```\n```console\n$ a\n1\n\n2\n$ b\n```\ntail\n";
        let blocks = parse("R.md", text);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].line, 5);
        let steps = &blocks[0].steps;
        assert_eq!((steps[0].line, steps[0].command.as_str()), (6, "a"));
        assert_eq!(steps[0].expected, ["1", "", "2"]);
        assert_eq!((steps[1].line, steps[1].command.as_str()), (10, "b"));
        assert!(steps[1].expected.is_empty());
    }

    #[test]
    fn a_block_shown_inside_a_longer_fence_is_not_run() {
        assert!(parse("R.md", "````text\n```console\n$ rm x\n```\n````\n").is_empty());
    }

    #[test]
    fn a_block_in_a_list_loses_its_indentation() {
        let blocks = parse("R.md", "- x\n\n  ```console\n  $ a\n    two\n  ```\n");
        assert_eq!(blocks[0].steps[0].expected, ["  two"]);
    }

    #[test]
    fn a_backslash_continues_a_command() {
        let blocks = parse("R.md", "~~~console\n$ a \\\n> b \\\n  c\n1\n~~~\n");
        assert_eq!(blocks[0].steps[0].command, "a b   c");
        assert_eq!(blocks[0].steps[0].expected, ["1"]);
    }

    #[test]
    fn a_block_that_begins_with_output_or_is_empty_is_a_problem() {
        assert!(parse("R.md", "```console\n1\n```\n")[0].problems[0].starts_with("R.md:2:"));
        assert_eq!(parse("R.md", "```console\n```\n")[0].problems.len(), 1);
    }
}
