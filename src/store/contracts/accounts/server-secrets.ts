/** Secrets that the program generates once. All servers of a shared store use the same ones. */
export type ServerSecretStore = {
  /** Returns the secret of this name, storing `fresh` if there is none yet. */
  agree(name: string, fresh: Uint8Array): Promise<Uint8Array>
}
