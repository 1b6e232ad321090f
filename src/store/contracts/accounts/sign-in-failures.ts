/** Failed sign-in attempts since the last success, counted under a key: an e-mail address, a network address or a device. */
export type SignInFailureStore = {
  find(key: string): Promise<SignInFailures>
  /**
   * Compare-and-set: writes `next` if the key still has the state `expected`, and returns whether it had. A count of 0 means no entry.
   * This way concurrent attempts, on any server, are each counted.
   */
  replace(key: string, expected: SignInFailures, next: SignInFailures): Promise<boolean>
  clear(keys: readonly string[]): Promise<void>
  /** Clears the keys whose last failure was before `at`. Returns how many. */
  clearBefore(at: number): Promise<number>
}

export type SignInFailures = { count: number; lastAt: number }
