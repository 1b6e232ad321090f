import type { ServiceLevel } from '../../core/profile.ts'
import type { AccountStore } from '../../store/contracts/accounts/accounts.ts'

export type AccountLevels = {
  /** As of the last `refresh`. */
  levelOf(owner: string): ServiceLevel
  /** Reads changes. Returns the owners whose level changed. */
  refresh(): Promise<string[]>
}

export type AccountLevelsDeps = {
  accounts: Pick<AccountStore, 'revision' | 'list'>
  /** The level of owners without an account. */
  otherwise(owner: string): ServiceLevel
}

const PAGE = 1000

/** The service level of each user, in memory. */
export function createAccountLevels({ accounts, otherwise }: AccountLevelsDeps): AccountLevels {
  let levels = new Map<string, ServiceLevel>()
  let revision = -1
  const levelIn = (from: ReadonlyMap<string, ServiceLevel>, owner: string): ServiceLevel =>
    from.get(owner) ?? otherwise(owner)

  async function readAll(): Promise<Map<string, ServiceLevel>> {
    const read = new Map<string, ServiceLevel>()
    let after = 0
    for (;;) {
      const page = await accounts.list({ after, limit: PAGE })
      for (const { email, level } of page) read.set(email, level)
      if (page.length < PAGE) return read
      after = page.at(-1)!.id
    }
  }

  return {
    levelOf: (owner) => levelIn(levels, owner.toLowerCase()),
    async refresh() {
      const current = await accounts.revision()
      if (current === revision) return []
      const before = levels
      const after = await readAll()
      levels = after
      revision = current
      const known = new Set([...before.keys(), ...after.keys()])
      return [...known].filter((owner) => levelIn(before, owner) !== levelIn(after, owner))
    },
  }
}
