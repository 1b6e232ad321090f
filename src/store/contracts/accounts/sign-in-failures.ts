/** Failed sign-in attempts since the last success, counted under a key: an e-mail address, a network address or a device. */
export type SignInFailureStore = {
  find(key: string): Promise<SignInFailures>
  /**
   * Writes `next` if the key still has the state `expected`, and returns whether it had. A count of 0 means that there is no entry.
   * This is how concurrent attempts, on any server, each take their own place in the count.
   */
  replace(key: string, expected: SignInFailures, next: SignInFailures): Promise<boolean>
  clear(keys: readonly string[]): Promise<void>
  /** Clears the keys whose last failure is older. Returns how many. */
  clearBefore(at: number): Promise<number>
}

export type SignInFailures = { count: number; lastAt: number }
