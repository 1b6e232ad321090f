import { AppError } from '../../src/core/errors.ts'
import { documentTrees } from './document-trees.ts'
import { nginxProgram, startNginx } from './nginx.ts'
import { type Origin, type OriginOptions, startOrigin } from './start.ts'

/** Serves document trees with nginx if it is installed, like real sites; everything else with our own origin. */
export async function startServer(server: string | undefined, options: OriginOptions): Promise<Origin> {
  const roots = documentTrees(options.roots ?? [])
  const nginx = server === 'origin' || roots.length === 0 ? undefined : nginxProgram()
  if (server === 'nginx' && nginx === undefined)
    throw new AppError('usage-wrong', '--server nginx needs --root and nginx (Debian: nginx-light)')
  return nginx === undefined ? startOrigin({ ...options, roots }) : startNginx(nginx, roots)
}
