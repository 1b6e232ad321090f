import { existsSync } from 'node:fs'
import { AppError } from '../../src/core/errors.ts'

/** HTML documentation packaged by Debian 12: a dozen hosts, some 24,000 pages. */
export const debianTrees: readonly { packages: string; folder: string }[] = [
  { packages: 'openjdk-17-doc', folder: '/usr/share/doc/openjdk-17-jre-headless/api' },
  { packages: 'octave-doc', folder: '/usr/share/doc/octave' },
  { packages: 'apache2-doc', folder: '/usr/share/doc/apache2-doc/manual' },
  { packages: 'qtbase5-doc-html', folder: '/usr/share/qt5/doc' },
  { packages: 'cmake-doc', folder: '/usr/share/doc/cmake-data/html' },
  { packages: 'postgresql-doc-15', folder: '/usr/share/doc/postgresql-doc-15/html' },
  { packages: 'sqlite3-doc', folder: '/usr/share/doc/sqlite3' },
  { packages: 'python-django-doc', folder: '/usr/share/doc/python-django-doc/html' },
  { packages: 'python3.11-doc', folder: '/usr/share/doc/python3.11/html' },
  { packages: 'libglib2.0-doc', folder: '/usr/share/gtk-doc/html/glib' },
  { packages: 'libgtk-3-doc', folder: '/usr/share/gtk-doc/html/gtk3' },
  { packages: 'git-doc', folder: '/usr/share/doc/git-doc' },
]

/** `debian` means the trees above; everything else is a folder. */
export function documentTrees(roots: readonly string[]): string[] {
  return roots.flatMap((root) => {
    if (root !== 'debian') return [root]
    const missing = debianTrees.filter(({ folder }) => !existsSync(folder))
    if (missing.length > 0)
      throw new AppError(
        'not-available',
        `document trees are missing: apt-get install --no-install-recommends ${missing.map(({ packages }) => packages).join(' ')} (and nginx to serve them)`,
      )
    return debianTrees.map(({ folder }) => folder)
  })
}
