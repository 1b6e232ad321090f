import { type Damage, verifyArchive } from '../../archive/verify/verify.ts'
import type { Target } from '../../cli/engine.ts'
import type { VerifyProgress, VerifyReport } from '../../core/reports/verify-report.ts'
import { withStores } from '../engines/open-engine.ts'

type OnProgress = (progress: VerifyProgress) => void

/** `erace verify`, beside whoever works there. */
export async function verify(
  target: Target,
  onProgress: OnProgress,
  { repair }: { repair: boolean },
): Promise<VerifyReport> {
  if (!repair) return (await look(target, onProgress)).report
  return withStores(target, 'look', (stores) => stores.whileAlone(() => lookAndRepair(target, onProgress)))
}

async function lookAndRepair(target: Target, onProgress: OnProgress): Promise<VerifyReport> {
  const before = await look(target, onProgress)
  const nothing = { faults: [], faultCount: 0, lostVersions: 0, lostUrls: [], forgottenFiles: 0 }
  if (before.report.faultCount === 0) return { ...before.report, repaired: nothing }
  const { lost, forgottenFiles } = await withStores(target, 'look', (stores) => stores.giveUp(before.damage))
  const after = await look(target, onProgress)
  const { faults, faultCount } = before.report
  return {
    ...after.report,
    repaired: { faults, faultCount, lostVersions: lost.count, lostUrls: lost.urls, forgottenFiles },
  }
}

/** Each look opens the place anew: what was damaged may not have been read at all before. */
async function look(target: Target, onProgress: OnProgress): Promise<{ report: VerifyReport; damage: Damage[] }> {
  const damage: Damage[] = []
  const report = await withStores(target, 'look', ({ objects, findFaults }) =>
    verifyArchive({ objects, storeFaults: findFaults, onProgress, onDamage: (found) => damage.push(found) }),
  )
  return { report, damage }
}
