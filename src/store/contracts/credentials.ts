/**
 * Credentials of users for their sources. The values are encrypted before they get here: no store can read them.
 *
 * Credentials that a source refused are not retried before `retryAt`: after one hour at first, then two, up to a day. New values reset
 * this. The result of a sign-in carries the `changedAt` of the values it used, so that values replaced in the meantime don't affect the
 * new ones.
 */
export type CredentialStore = {
  /** False if the owner already has credentials of that name. */
  add(draft: CredentialsDraft): Promise<boolean>
  /** By name. */
  list(owner: string): Promise<StoredCredentials[]>
  find(id: string): Promise<StoredCredentials | null>
  /** False if the owner has no credentials with that id. */
  replace(owner: string, id: string, by: CredentialsChange): Promise<boolean>
  noteUsed(id: string, sign: SignIn): Promise<void>
  noteFailed(id: string, sign: SignIn & { reason: string }): Promise<void>
  remove(owner: string, id: string): Promise<boolean>
}

export type CredentialsDraft = {
  /** `credentialsId` of owner and name. */
  id: string
  owner: string
  name: string
  kind: string
  /** Shown to the owner: a user name, or the name of a header. */
  hint: string
  sealed: Buffer
  createdAt: number
}

export type CredentialsChange = Pick<CredentialsDraft, 'kind' | 'hint' | 'sealed'> & { changedAt: number }

export type SignIn = { changedAt: number; at: number }

/** A time of 0 means never. */
export type StoredCredentials = CredentialsDraft & {
  changedAt: number
  usedAt: number
  failedSince: number
  /** Why the source last refused them; '' if it didn't. */
  failure: string
  failures: number
  retryAt: number
}
