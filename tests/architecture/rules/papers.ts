/** What a paper names in backquotes that looks like a file or a folder of this repository; patterns name none. */
export function pathsIn(paper: string): string[] {
  const named = [...paper.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = '']) => path);
  return [...new Set(named)]
    .filter((path) => !/(?:^|\/)x\.|NNNN/.test(path))
    .filter(
      (path) =>
        /\.(?:ts|tsx|md|sql|json|css)$/.test(path) || /^(?:src|tests|docs|tools|migrations)\//.test(path),
    );
}

/** Numbers of decisions that a paper names: `docs/decisions/0023, 0091`, `decisions 21, 70`. */
export function decisionsNamed(paper: string): string[] {
  const lists = paper.matchAll(/decisions?[/ ](\d{1,4}(?:(?:,| and| to) \d{1,4})*)/g);
  return [...lists]
    .flatMap(([, list = '']) => list.match(/\d+/g) ?? [])
    .map((number) => number.padStart(4, '0'));
}

/** Paths that lead nowhere. A name without its folder is one of a file somewhere below `src`, `tests` or `docs`. */
export function deadPaths(paper: string, files: readonly string[]): string[] {
  return pathsIn(paper).filter((path) => {
    const wanted = path.replace(/\/$/, '');
    return !files.some(
      (file) => file === wanted || file.endsWith(`/${wanted}`) || file.startsWith(`${wanted}/`),
    );
  });
}
