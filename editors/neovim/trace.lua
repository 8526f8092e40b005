vim.lsp.commands["zonaut.showTrace"] = function(command, context)
  local server = vim.lsp.get_client_by_id(context.client_id)
  server.request("workspace/executeCommand", command, function(_, trace)
    if not trace then return end
    vim.cmd("new | setlocal buftype=nofile bufhidden=wipe")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(trace.text, "\n"))
  end)
end
