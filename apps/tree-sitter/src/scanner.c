// The end of a line, which ends a statement where the grammar allows it. There is no state.
#include "tree_sitter/parser.h"

enum Token { NEWLINE };

void *tree_sitter_galilei_external_scanner_create(void) { return 0; }
void tree_sitter_galilei_external_scanner_destroy(void *scanner) { (void)scanner; }
unsigned tree_sitter_galilei_external_scanner_serialize(void *scanner, char *buffer) {
  (void)scanner;
  (void)buffer;
  return 0;
}
void tree_sitter_galilei_external_scanner_deserialize(void *scanner, const char *buffer, unsigned length) {
  (void)scanner;
  (void)buffer;
  (void)length;
}

bool tree_sitter_galilei_external_scanner_scan(void *scanner, TSLexer *lexer, const bool *valid) {
  (void)scanner;
  if (!valid[NEWLINE]) return false;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r') lexer->advance(lexer, true);
  if (lexer->lookahead != '\n') return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  lexer->result_symbol = NEWLINE;
  return true;
}
