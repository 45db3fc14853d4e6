/**
 * A plugin of the bundler: a schema of `zod/mini` is set up when it is first used. A command builds all schemas of the files it loads,
 * 900 objects in a run, and uses a quarter of them. The first schema of each class is set up at once, because zod
 * installs the methods of the class with it.
 */
export const deferredSchemas = {
  name: 'deferred-schemas',
  transform: {
    filter: { id: /zod[\\/]v4[\\/]core[\\/]core\.js$/ },
    handler: (code) => replaceOnce(replaceOnce(code, CONSTRUCT, DEFER), DEFINE_INIT, DEFINE_DEFERRED),
  },
};

const CONSTRUCT = `        const inst = params?.Parent ? newError(Definition) : this;
        init(inst, def);
`;

const DEFER = `        if (isDeferred) {
            this[PENDING] = def;
            return this;
        }
${CONSTRUCT}        if (name.startsWith("ZodMini")) deferOthers(Object.getOwnPropertyNames(inst));
`;

const DEFINE_INIT = '    Object.defineProperty(_, "init", { value: init });\n';

/** `fields`: the properties of a schema of the class, such as `_zod` and `def`. */
const DEFINE_DEFERRED = `    const PENDING = Symbol("pending");
    let isDeferred = false;
    function setUp(inst) {
        const def = inst[PENDING];
        if (def === undefined) return;
        inst[PENDING] = undefined;
        Object.defineProperty(inst, "_zod", { value: new Internals(def), enumerable: false });
        init(inst, def);
        const deferred = inst._zod.deferred;
        if (deferred) for (const fn of deferred) fn();
        inst._zod.deferred = undefined;
    }
    function deferOthers(fields) {
        isDeferred = true;
        for (const key of fields) {
            Object.defineProperty(_.prototype, key, {
                configurable: true,
                get() {
                    setUp(this);
                    return Object.hasOwn(this, key) ? this[key] : undefined;
                },
                set(value) {
                    Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true });
                },
            });
        }
    }
${DEFINE_INIT}`;

/** Throws if the code of the library has changed. */
function replaceOnce(code, part, replacement) {
  if (code.split(part).length !== 2) throw new Error('zod is built differently; adapt deferred-schemas.mjs');
  return code.replace(part, () => replacement);
}
