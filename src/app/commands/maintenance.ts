import { runCollection } from '../../archive/gc/collection-run.ts'
import { createPools } from '../../archive/gc/verdict.ts'
import { type Damage, verifyArchive } from '../../archive/verify/verify.ts'
import type { Engine, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import type { VerifyProgress, VerifyReport } from '../../core/reports/verify-report.ts'
import { SET_ASIDE_SHOWN, setAsideReport } from '../../services/activity/set-aside.ts'
import { augmentFolder } from '../../services/augment/augment.ts'
import { channelTotals } from '../../services/channels/channel-totals.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import { backupFolder } from '../../store/sqlite/backup/backup.ts'
import { restoreFolder } from '../../store/sqlite/backup/restore.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { openCollecting, withStores } from '../engines/open-engine.ts'

/** `erace gc`, also while a crawl is running. */
export const gc: Engine['gc'] = async (request, hooks) => {
  const { dryRun, config } = request
  const target = await openCollecting(request, hooks)
  try {
    const pools = createPools(config.retention, config.sources)
    return await runCollection(target, { ...hooks, dryRun, keepsNewest: false, pools, clock: systemClock })
  } finally {
    await target.close()
  }
}

type OnProgress = (progress: VerifyProgress) => void

/** `erace verify`, while others may use the store; a repair keeps them out. */
export const verify: Engine['verify'] = async (target, onProgress, { repair }) => {
  if (!repair) return (await check(target, onProgress)).report
  return withStores(target, 'read', (stores) => stores.whileAlone(() => checkAndRepair(target, onProgress)))
}

async function checkAndRepair(target: Target, onProgress: OnProgress): Promise<VerifyReport> {
  const before = await check(target, onProgress)
  const nothing = { faults: [], faultCount: 0, lostVersions: 0, lostUrls: [], forgottenFiles: 0 }
  if (before.report.faultCount === 0) return { ...before.report, repaired: nothing }
  const { lost, forgottenFiles } = await withStores(target, 'read', (stores) => stores.giveUp(before.damage))
  const after = await check(target, onProgress)
  const { faults, faultCount } = before.report
  return {
    ...after.report,
    repaired: { faults, faultCount, lostVersions: lost.count, lostUrls: lost.urls, forgottenFiles },
  }
}

/** Each check opens the target again: damage may have kept parts from being read before. */
async function check(target: Target, onProgress: OnProgress): Promise<{ report: VerifyReport; damage: Damage[] }> {
  const damage: Damage[] = []
  const report = await withStores(target, 'read', ({ objects, findFaults }) =>
    verifyArchive({ objects, storeFaults: findFaults, onProgress, onDamage: (found) => damage.push(found) }),
  )
  return { report, damage }
}

export const augment: Engine['augment'] = async (request, onProgress) =>
  augmentFolder({ ...request, clock: systemClock, onProgress })

export const backup: Engine['backup'] = async ({ dataDir, config }, file, hooks) => {
  const key = createCredentialsKey({ given: config.credentials.key, file: paths.key(dataDir) })
  return backupFolder({ folder: dataDir, file, clock: systemClock, key, ...hooks })
}

/** A key from a file becomes the folder's own; a configured key stays in the configuration. */
export const restore: Engine['restore'] = async (file, { dataDir, config }, { keyFile, ...hooks }) => {
  const given = keyFile === null ? config.credentials.key : ''
  const key = keyFile === null && given === '' ? null : createCredentialsKey({ given, file: keyFile })
  return restoreFolder({ file, folder: dataDir, clock: systemClock, key, keepsKey: keyFile !== null, ...hooks })
}

/** `erace status`, while others may use the store. */
export const status: Engine['status'] = (target) =>
  withStores(target, 'read', async ({ annotations, channels, readStatus }) => ({
    ...(await readStatus()),
    setAside: setAsideReport(await annotations.setAside(SET_ASIDE_SHOWN)),
    channels: channelTotals(await channels.figures()),
  }))

export const retryTasks: Engine['retryTasks'] = (target) =>
  withStores(target, 'change', ({ annotations }) => annotations.retrySetAside())
