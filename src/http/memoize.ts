/** Values that are derived once from an object that is used again, for as long as the object exists. */

export function memoize<Key extends object, Value extends object>(derive: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = derive(key);
      values.set(key, value);
    }
    return value;
  };
}
