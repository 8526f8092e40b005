local client
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  pattern = { "*.xta", "*.ta", "*.q", "*.xml" },
  callback = function(event)
    local forget = function() client = nil end
    local options = { name = "zonaut", cmd = { "zonaut", "lsp" }, on_exit = forget }
    client = client or vim.lsp.start_client(options)
    vim.lsp.buf_attach_client(event.buf, client)
  end,
})
