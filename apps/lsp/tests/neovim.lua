-- A session with Neovim as the client: nvim --headless -u NONE MODEL -c "luafile neovim.lua", with GALILEI as the command.
-- The model has the unknown name `kk` and is not formatted; the session corrects and formats it, and prints "ok".
local function session()
  local start = vim.lsp.start_client
  local id = start({ name = "galilei", cmd = { vim.env.GALILEI, "lsp" }, root_dir = vim.fn.getcwd() })
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, id)
  vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
  local found = vim.diagnostic.get(buffer)[1]
  assert(found and found.code == "unknown_name", "no diagnostic")
  local line = vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, false)[1]
  assert(line:sub(found.col + 1, found.end_col) == "kk", "the diagnostic is elsewhere")

  local document = vim.lsp.util.make_text_document_params()
  local function ask(method, params)
    params.textDocument = document
    local answers = vim.lsp.buf_request_sync(buffer, "textDocument/" .. method, params, 30000)
    for _, answer in pairs(answers) do return answer.result end
  end
  local hover = ask("hover", { position = { line = 2, character = 1 } })
  assert(hover.contents.value:find("kinetic energy", 1, true), "no hover")
  local place = { line = found.lnum, character = found.col }
  local actions = ask("codeAction", { range = { start = place, ["end"] = place }, context = { diagnostics = {} } })
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  vim.wait(60000, function() return #vim.diagnostic.get(buffer) == 0 end, 50)
  assert(#vim.diagnostic.get(buffer) == 0, "the correction does not help")
  vim.lsp.util.apply_text_edits(ask("formatting", { options = { tabSize = 2, insertSpaces = true } }), buffer, "utf-16")
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  assert(text:find("param k = 4 [N/m], m = 1 [kg]", 1, true), "not formatted: " .. text)
  vim.lsp.stop_client(id)
end
local well, why = pcall(session)
io.stdout:write(well and "ok\n" or "FAILED " .. tostring(why) .. "\n")
vim.cmd("qa!")
