//! `galilei help`: entries of the language reference, and the help of commands.

use std::process::ExitCode;

use clap::CommandFactory;
use galilei::reference;

/// The exit status for a wrong command line.
const USAGE: u8 = 2;

/// Prints the entry of a topic of the language, or of a command; without a topic an overview.
pub(crate) fn help(topic: &[String]) -> ExitCode {
    let mut command = crate::Arguments::command();
    let topic = topic.join(" ");
    if topic.is_empty() {
        let topics = reference::topics().join(", ");
        let overview = command.render_long_help();
        crate::print(&format!(
            "{overview}\nTopics of the model language, for `galilei help TOPIC`: {topics}"
        ));
        return ExitCode::SUCCESS;
    }
    // A command that is only mentioned in the reference has its own help.
    let is_command = command.find_subcommand(&topic).is_some();
    let own = reference::topics().contains(&topic.as_str());
    let entry = reference::entry(&topic).filter(|_| own || !is_command);
    let of_command = command.find_subcommand_mut(&topic);
    match (entry, of_command) {
        (Some(entry), None) => crate::print(entry.trim_end()),
        (Some(entry), Some(_)) => crate::print(&format!(
            "{}\n\n`galilei {topic} --help` describes the command.",
            entry.trim_end()
        )),
        (None, Some(command)) => crate::print(command.render_long_help().to_string().trim_end()),
        (None, None) => {
            let hint = match reference::nearest_topic(&topic) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`galilei help` lists all topics".to_owned(),
            };
            crate::say(&format!("there is no topic `{topic}`; {hint}"));
            return ExitCode::from(USAGE);
        }
    }
    ExitCode::SUCCESS
}
