/** The absolute path of a ripgrep that runs, tried out once; undefined when there is none. */
export declare function resolveRipgrep(): Promise<string | undefined>;
/** What a child of ours may know of us: nothing, no key above all. Windows programs need to know where Windows is. */
export declare function bareEnvironment(): NodeJS.ProcessEnv;
