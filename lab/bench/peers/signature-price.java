import java.lang.management.ManagementFactory;
import java.security.KeyPairGenerator;
import java.security.Signature;

/** Prints the CPU time of one RS256 signature of 2,048 bits by this Java, in microseconds. */
class SignaturePrice {
  public static void main(String[] arguments) throws Exception {
    var generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    var key = generator.generateKeyPair().getPrivate();
    var input = new byte[560];
    var threads = ManagementFactory.getThreadMXBean();
    long begin = 0;
    int measured = 1000;
    for (int count = -1000; count < measured; count += 1) {
      if (count == 0) begin = threads.getCurrentThreadCpuTime();
      var signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update(input);
      signature.sign();
    }
    System.out.println((threads.getCurrentThreadCpuTime() - begin) / 1000 / measured);
  }
}
