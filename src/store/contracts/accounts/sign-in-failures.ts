/** Failed sign-in attempts since the last success, counted under a key: an e-mail address or a network address. */
export type SignInFailureStore = {
  find(key: string): Promise<SignInFailures>
  /** Returns the count with this one. */
  record(key: string, at: number): Promise<SignInFailures>
  clear(keys: readonly string[]): Promise<void>
  /** Clears the keys whose last failure is older. Returns how many. */
  clearBefore(at: number): Promise<number>
}

export type SignInFailures = { count: number; lastAt: number }
