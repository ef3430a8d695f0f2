// In development, the page forwards requests to the API, so that both have one origin.

import { defineConfig } from 'vite'

const api = process.env.API ?? 'http://127.0.0.1:3000'

export default defineConfig({
  server: { proxy: { '/api/': api, '/auth/': api } },
})
