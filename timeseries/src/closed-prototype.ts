// Imported before everything else by the thread of the store: what strangers call things never becomes a property of all objects.
Object.preventExtensions(Object.prototype);
