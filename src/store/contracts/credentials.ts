/**
 * What users sign in with at their sources. The values are sealed before they come here: no store can read them.
 *
 * Credentials that a source refused are not tried again before `retryAt`, which is an hour later at first, then two, up to a day. New
 * values clear that. What is noted of a sign-in names the values it was made with, by `changedAt`: those that were replaced meanwhile
 * are not blamed.
 */
export type CredentialStore = {
  /** False where the owner has some of that name. */
  add(draft: CredentialsDraft): Promise<boolean>
  /** In the order of their names. */
  list(owner: string): Promise<StoredCredentials[]>
  find(id: string): Promise<StoredCredentials | null>
  /** False where the owner has none of that id. */
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

/** Times are 0 for never. */
export type StoredCredentials = CredentialsDraft & {
  changedAt: number
  usedAt: number
  failedSince: number
  /** Why the source refused them last; '' if it did not. */
  failure: string
  failures: number
  retryAt: number
}
