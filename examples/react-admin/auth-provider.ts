// An auth provider for react-admin: logs in at the API's login endpoint, and stores the access token.

/** Where the token is stored: `sessionStorage`, or an object with the same methods. */
export interface TokenStore {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

const name = 'access_token'

/** Pages with `disableAuthentication` are public; the others lead to the login. */
export const authProvider = (url: string, store: TokenStore) => ({
  async login(credentials: { username: string; password: string }): Promise<void> {
    const response = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    })
    const { value, errors } = await response.json()
    if (!response.ok) throw new Error(errors.reason)
    store.setItem(name, value.access_token)
  },
  async logout(): Promise<void> {
    store.removeItem(name)
  },
  async checkAuth(): Promise<void> {
    if (store.getItem(name) === null) throw new Error('Please log in.')
  },
  async checkError({ status }: { status?: number }): Promise<void> {
    if (status !== 401) return
    store.removeItem(name)
    throw new Error('Please log in.')
  },
  async getPermissions(): Promise<void> {},
})

/** The headers of requests with the token, if there is one. */
export function authorization(store: TokenStore): Record<string, string> {
  const token = store.getItem(name)
  return token === null ? {} : { authorization: `Bearer ${token}` }
}
