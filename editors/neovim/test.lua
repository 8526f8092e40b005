-- Tests of the set-up and of the server with neovim as the client, without a terminal.
-- Run by `cargo xtask editor-test`: nvim --headless --clean -c "luafile zonaut.lua" -c "luafile trace.lua" -c "luafile test.lua"

local PATIENCE = 30000
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, "p")

local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

-- Waits until a condition holds.
local function wait(what, condition)
  local ok, result = pcall(vim.wait, PATIENCE, condition, 20)
  if not ok or not result then fail("no " .. what) end
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

local model = [[
// A lamp: ä𝄞
const int LIMIT = 5;
clock x;
process Lamp() {
    state off, on { x <= LIMIT };
    init off;
    trans off -> on { assign x = 0; }, on -> off { guard x == LIMIT; };
}
system Lamp;
]]
write("lamp.xta", (model:gsub("clock x;", "clock x")))
write("lamp.q", "E<> Lamp.on && x > 3\nA[] x <= 4\n")

local function tests()
  vim.cmd("edit " .. folder .. "/lamp.xta")
  local buffer = vim.api.nvim_get_current_buf()
  wait("diagnostics", function() return #vim.diagnostic.get(buffer) > 0 end)
  local problem = vim.diagnostic.get(buffer)[1]
  if problem.source ~= "zonaut" or problem.lnum ~= 3 then fail("a diagnostic at another place: " .. vim.inspect(problem)) end
  -- An edit repairs the model.
  vim.api.nvim_buf_set_lines(buffer, 2, 3, false, { "clock x;" })
  wait("end of diagnostics", function() return #vim.diagnostic.get(buffer) == 0 end)

  vim.fn.cursor(7, vim.fn.stridx(vim.fn.getline(7), "LIMIT") + 1)
  vim.lsp.buf.definition()
  wait("definition", function() return vim.fn.line(".") == 2 end)

  local hover = vim.lsp.buf_request_sync(buffer, "textDocument/hover", vim.lsp.util.make_position_params(), PATIENCE)
  local text = vim.inspect(hover)
  if not text:find("const int LIMIT = 5", 1, true) then fail("another hover: " .. text) end

  vim.lsp.buf.rename("MOST")
  wait("rename", function()
    return vim.fn.getline(2) == "const int MOST = 5;" and vim.fn.getline(7):find("x == MOST", 1, true) ~= nil
  end)
  vim.cmd("write")

  vim.cmd("edit " .. folder .. "/lamp.q")
  buffer = vim.api.nvim_get_current_buf()
  local function lenses(title)
    vim.lsp.codelens.refresh()
    vim.wait(100)
    for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
      if lens.command.title:find(title, 1, true) then return true end
    end
    return false
  end
  wait("client of the queries", function() return #vim.lsp.buf_get_clients(buffer) > 0 end)
  wait("lens", function() return lenses("check") end)
  vim.fn.cursor(2, 1)
  vim.lsp.codelens.run()
  wait("verdict", function() return lenses("✗ not satisfied: check again") end)
  -- An edit of the model makes the verdict stale.
  vim.cmd("buffer " .. folder .. "/lamp.xta")
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { "const int MOST = 4;" })
  vim.cmd("write | buffer " .. folder .. "/lamp.q")
  wait("stale verdict", function() return lenses("(stale)") end)
  -- Of the two lenses of the query, the second shows the trace in a window of its own.
  vim.ui.select = function(items, _, choose) choose(items[2], 2) end
  vim.lsp.codelens.run()
  wait("trace", function() return vim.bo.buftype == "nofile" and vim.fn.search("Lamp", "nw") > 0 end)
  if #vim.lsp.get_active_clients() ~= 1 then fail("several servers") end
end

local ok, problem = pcall(tests)
vim.fn.delete(folder, "rf")
if not ok then fail(problem) end
print("neovim: diagnostics, definition, hover, rename, lenses and traces work\n")
vim.cmd("qall!")
