-- Ask the server what a reader asks, and print the answers as JSON: run by Neovim without a screen.
local function wait(what, done)
  if not vim.wait(60000, done, 20) then
    io.stdout:write("waited in vain for " .. what .. "\n")
    vim.cmd("cquit 1")
  end
end

local function ask(method, params)
  local answer
  local units = vim.lsp.get_clients({ bufnr = 0 })[1].offset_encoding
  local given = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, units), params or {})
  vim.lsp.buf_request_all(0, method, given, function(found)
    answer = found
  end)
  wait(method, function() return answer ~= nil end)
  for _, one in pairs(answer) do
    return one.result
  end
end

local answers = {}
for _, step in ipairs(vim.json.decode(vim.env.STEPS)) do
  local kind = step.kind
  if kind == "open" then
    vim.cmd.edit(step.file)
    wait("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  elseif kind == "diagnostics" then
    wait("diagnostics", function() return #vim.diagnostic.get(0) == step.count end)
    answers[#answers + 1] = vim.diagnostic.get(0)
  elseif kind == "put" then
    vim.api.nvim_buf_set_lines(0, step.line, step.line + 1, true, { step.text })
  elseif kind == "cursor" then
    vim.api.nvim_win_set_cursor(0, { step.line + 1, step.column })
  elseif kind == "ask" then
    answers[#answers + 1] = ask(step.method, step.params) or vim.NIL
  elseif kind == "go" then
    local before = vim.api.nvim_win_get_cursor(0)
    vim.lsp.buf.definition()
    wait("a jump", function() return not vim.deep_equal(before, vim.api.nvim_win_get_cursor(0)) end)
    answers[#answers + 1] = vim.api.nvim_win_get_cursor(0)
  elseif kind == "rename" then
    local before = vim.api.nvim_buf_get_changedtick(0)
    vim.lsp.buf.rename(step.name)
    wait("a renaming", function() return vim.api.nvim_buf_get_changedtick(0) ~= before end)
    answers[#answers + 1] = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  elseif kind == "mend" then
    local before = vim.api.nvim_buf_get_changedtick(0)
    vim.lsp.buf.code_action({ apply = true })
    wait("a mend", function() return vim.api.nvim_buf_get_changedtick(0) ~= before end)
    answers[#answers + 1] = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  elseif kind == "inlays" then
    wait("inlay hints", function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) == step.count end)
    answers[#answers + 1] = vim.tbl_map(function(found)
      return { found.inlay_hint.position.line, found.inlay_hint.position.character, found.inlay_hint.label }
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
  end
end
vim.fn.writefile({ vim.json.encode(answers) }, vim.env.ANSWERS)
vim.cmd("qall!")
