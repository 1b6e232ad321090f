import { AppError } from '../../core/errors.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'

/** More than the requests that change profiles at the same time. */
const MAX_RACES = 50

/**
 * Changes stored profiles: `read` returns what they become. It is called again if anything else, here or on another server, changed the
 * base meanwhile, or the later of two changes would undo the earlier one. Returns what was stored.
 */
export async function changeProfiles(
  store: Pick<ProfileStore, 'revision' | 'put'>,
  read: () => Promise<readonly KeyedProfile[]>,
): Promise<readonly KeyedProfile[]> {
  for (let race = 0; race < MAX_RACES; race++) {
    const basis = await store.revision()
    const changed = await read()
    if (changed.length === 0 || (await store.put(changed, basis))) return changed
  }
  throw new AppError('store-busy', 'the profiles are being changed by others all the time')
}
