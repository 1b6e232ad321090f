/** Secrets that the program makes for itself once. All servers of a shared store use the same. */
export type ServerSecretStore = {
  /** The secret of this name: `fresh` if there was none before. */
  agree(name: string, fresh: Uint8Array): Promise<Uint8Array>
}
